#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the events of a run with TensorBoard itself, and compares them with run.db.

usage: read-tensorboard.py RUN

Reads them with its event loader, and through its HTTP server with both of its ways to load files.  Exits with 77 if there is no TensorBoard.
"""
import json
import math
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request

try:
    import numpy
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams import plugin_data_pb2
    from tensorboard.util import tensor_util
except ImportError:
    sys.exit(77)

METRICS = ('loss_d', 'loss_g', 'logit_real', 'logit_fake', 'r1', 'r2', 'grad_norm_d', 'grad_norm_g', 'lr_d', 'lr_g', 'seconds')
WAIT_S = 120
N_BINS = 30


def is_same(a, b):
    return len(a) == len(b) and all(x[0] == y[0] and (x[1] == y[1] or (x[1] is None and math.isnan(y[1])))
                                    for x, y in zip(a, b))


def read_database(run):
    database = sqlite3.connect(run / 'run.db')
    tables = {f'train/{name}': database.execute(f'SELECT step, {name} FROM step ORDER BY step').fetchall() for name in METRICS}
    tables['score/score'] = database.execute('SELECT step, score FROM score ORDER BY step').fetchall()
    assert tables['train/loss_d'], 'run.db has steps'
    return tables


def read_tensors(checkpoint):
    data = checkpoint.read_bytes()
    start = 8 + struct.unpack('<Q', data[:8])[0]
    return {name: numpy.frombuffer(data[start + about['data_offsets'][0]:start + about['data_offsets'][1]], numpy.float32).astype(float)
            for name, about in json.loads(data[8:start]).items() if name != '__metadata__'}


def count_values(values):
    values = values[numpy.isfinite(values)]
    least, width = values.min(), (values.max() - values.min()) / N_BINS
    counts = numpy.bincount(numpy.minimum(((values - least) / width).astype(int), N_BINS - 1), minlength=N_BINS)
    edges = least + width * numpy.arange(N_BINS + 1)
    return numpy.stack([edges[:-1], edges[1:], counts], axis=1)


def list_histograms(run):
    """Of the newest checkpoint: its step, and by tag the rows that TensorBoard should read."""
    newest = max((run / 'checkpoints').glob('step-*.safetensors'))
    tensors = read_tensors(newest)
    return int(newest.stem.split('-')[1]), {'weights/g.0.weight': count_values(tensors['g.0.weight']),
                                            'gradients/g.0.weight': count_values(numpy.sqrt(tensors['moment2.g.0.weight']))}


def check_loader(run, tables):
    events = EventAccumulator(str(run / 'tensorboard'), size_guidance={'tensors': 0, 'images': 0, 'scalars': 0})
    events.Reload()
    newest, histograms = list_histograms(run)
    for tag, rows in histograms.items():
        read = events.Tensors(tag)
        steps = [event.step for event in read]
        assert steps == sorted(set(steps)) and steps[-1] == newest, (tag, steps, newest)
        numpy.testing.assert_allclose(tensor_util.make_ndarray(read[-1].tensor_proto), rows, rtol=1e-12)
        assert events.SummaryMetadata(tag).plugin_data.plugin_name == 'histograms'
    for tag, rows in tables.items():
        read = [(event.step, event.value) for event in events.Scalars(tag)] if rows else []
        assert is_same(round_to_float(rows), read), (tag, rows, read)
    text = tensor_util.make_ndarray(events.Tensors('settings')[-1].tensor_proto).item().decode()
    assert '| steps | ' in text, text
    assert 's3cret' not in text, text
    metadata = events.SummaryMetadata('_hparams_/session_start_info')
    content = plugin_data_pb2.HParamsPluginData.FromString(metadata.plugin_data.content)
    settings = content.session_start_info.hparams
    assert settings['batch'].number_value > 0 and settings['tensorboard'].bool_value, settings
    assert 'hook' not in settings
    return events.Images('cities') if 'cities' in events.Tags()['images'] else []


def get(address, path, **query):
    with urllib.request.urlopen(f'{address}data/plugin/{path}?{urllib.parse.urlencode(query)}', timeout=WAIT_S) as answer:
        return answer.read()


def round_to_float(rows):
    return [(step, None if value is None else struct.unpack('f', struct.pack('f', value))[0]) for step, value in rows]


def check_server(run, tables, images, fast):
    server = subprocess.Popen([sys.executable, '-m', 'tensorboard.main', '--logdir', str(run), '--host', '127.0.0.1', '--port', '0',
                               f'--load_fast={"true" if fast else "false"}'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        address = None
        for line in server.stderr:
            found = re.search(r'(http://\S+/) ', line)
            if found:
                address = found[1]
                break
        assert address, 'TensorBoard says where it listens'
        end = time.monotonic() + WAIT_S
        while 'train/loss_d' not in json.loads(get(address, 'scalars/tags')).get('tensorboard', {}) and time.monotonic() < end:
            time.sleep(0.1)
        for tag, rows in tables.items():
            if not rows:
                continue
            wanted = round_to_float(rows)
            read = []
            while not is_same(wanted, read) and time.monotonic() < end:
                read = [(step, float(value)) for _, step, value in
                        json.loads(get(address, 'scalars/scalars', tag=tag, run='tensorboard'))]
            assert is_same(wanted, read), (fast, tag, wanted, read)
        newest, histograms = list_histograms(run)
        for tag, rows in histograms.items():
            read = json.loads(get(address, 'histograms/histograms', tag=tag, run='tensorboard'))
            assert read[-1][1] == newest, (fast, tag, read[-1])
            numpy.testing.assert_allclose(read[-1][2], rows, rtol=1e-12)
        if images:
            listed = json.loads(get(address, 'images/images', tag='cities', run='tensorboard', sample=0))
            assert listed[-1]['step'] == images[-1].step
            image = get(address, 'images/individualImage', blob_key=re.search('blob_key=([^&]+)', listed[-1]['query'])[1])
            assert image == images[-1].encoded_image_string
    finally:
        server.kill()
        server.wait()


def main():
    run = pathlib.Path(sys.argv[1])
    tables = read_database(run)
    images = check_loader(run, tables)
    for fast in (False, True):
        check_server(run, tables, images, fast)
    print('the same')


main()
