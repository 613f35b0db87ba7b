#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a run to an MLflow server, reads it back with MLflow's client, and compares it with run.db.

usage: read-mlflow.py ENGINE RUN

The server is started here.  Exits with 77 if there is none.
"""
import os
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

try:
    import flask  # noqa: F401 (a part of the server that mlflow-skinny lacks)
    from mlflow import MlflowClient
except ImportError:
    sys.exit(77)

WAIT_S = 120
METRICS = ('loss_d', 'loss_g', 'logit_real', 'logit_fake', 'r1', 'r2', 'grad_norm_d', 'grad_norm_g', 'lr_d', 'lr_g', 'seconds', 'images')


def find_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def start_server(folder, address, port):
    server = subprocess.Popen([sys.executable, '-m', 'mlflow', 'server', '--backend-store-uri', f'sqlite:///{folder}/mlflow.db',
                               '--artifacts-destination', f'{folder}/artifacts', '--host', '127.0.0.1', '--port', str(port),
                               '--workers', '1'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
                              env=dict(os.environ, HOME=folder), start_new_session=True)
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f'{address}/health', timeout=WAIT_S).read()
            return server
        except OSError:
            time.sleep(0.1)
    os.killpg(server.pid, 9)
    sys.exit('The MLflow server did not start')


def send(engine, run, address):
    result = subprocess.run([engine, 'mlflow', str(run), '--server', address, '--experiment', 'a city & more'],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def check(client, run, run_id):
    database = sqlite3.connect(run / 'run.db')
    for name in METRICS:
        wanted = [row for row in database.execute(f'SELECT step, {name} FROM step ORDER BY step') if row[1] is not None]
        read = sorted((metric.step, metric.value) for metric in client.get_metric_history(run_id, f'train/{name}'))
        assert read == wanted, (name, read[:3], wanted[:3])
    wanted = database.execute('SELECT step, score FROM score ORDER BY step').fetchall()
    assert sorted((metric.step, metric.value) for metric in client.get_metric_history(run_id, 'score/score')) == wanted
    return len(wanted)


def main():
    engine, run = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        port = find_port()
        address = f'http://127.0.0.1:{port}'
        server = start_server(folder, address, port)
        try:
            said = send(engine, run, address)
            client = MlflowClient(address)
            experiment = client.get_experiment_by_name('a city & more')
            first, = client.search_runs([experiment.experiment_id])
            run_id = first.info.run_id
            assert run_id in said and first.info.status == 'FINISHED', (said, first.info.status)
            assert first.data.params['steps'] == '400' and 'hook' not in first.data.params, first.data.params
            assert check(client, run, run_id) > 0
            assert 'samples' in [file.path for file in client.list_artifacts(run_id)]
            image = pathlib.Path(client.download_artifacts(run_id, 'samples', folder))
            names = sorted(path.name for path in image.iterdir())
            assert names and all((image / name).read_bytes() == (run / 'samples' / name).read_bytes() for name in names), names
            assert ' 0 metrics and 0 sample grids' in send(engine, run, address)  # all is there
            assert len(client.search_runs([experiment.experiment_id])) == 1
            check(client, run, run_id)
        finally:
            os.killpg(server.pid, 9)
            server.wait()
    print('the same')


main()
