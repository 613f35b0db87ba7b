# SPDX-License-Identifier: Apache-2.0
"""Hosts for tests of several machines: network namespaces, each with a host name, connected by a bridge in a separate
namespace, so that the machine's network is not affected.  Needs root.

Only the process that makes them removes them; one that it starts finds them by $URBARIUM_TEST_HOSTS.
"""
import atexit
import contextlib
import fcntl
import os
import shutil
import signal
import subprocess

SUBNET = "198.18.77"  # RFC 2544: reserved for network tests
PREFIX = os.environ.get("URBARIUM_TEST_HOSTS") or f"urbarium-{os.getpid()}-"
SWITCH = PREFIX + "switch"
NAMES = "/run/netns"
PATIENCE_S = 120

# Other hosts see an empty folder of runs.
AGENT = """#!/bin/sh
# Replaces ssh: agent HOST COMMAND
host=$1
shift
n=${host##*.}
export URBARIUM_COMMAND="$*"
exec ip netns exec %(prefix)s"$n" unshare --uts sh -c \\
  'hostname urbarium-host-'"$n"' && mount -t tmpfs tmpfs %(runs)s &&
   if [ -e %(folder)s/other-'"$n"'.gpkg ]; then
     mount --bind %(folder)s/other-'"$n"'.gpkg %(folder)s/areas.gpkg
   fi && eval "$URBARIUM_COMMAND"'
"""


def call(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=PATIENCE_S, **more).stdout


def namespaces():
    return [line.split()[0] for line in call("ip", "netns", "list").splitlines()
            if line.startswith(PREFIX)]


def pids(namespace):
    """Process ids in the namespace, without zombies."""
    return [int(pid) for pid in call("ip", "netns", "pids", namespace).split()]


def remove_hosts():
    for namespace in namespaces():
        for pid in pids(namespace):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        call("ip", "netns", "delete", namespace)


@contextlib.contextmanager
def alone():
    """Other tests make namespaces at the same time, and remove the folder of their names."""
    folder = os.open(os.path.dirname(NAMES), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def leave_no_mount():
    """Unmounts the folder of namespace names, which ip mounts and leaves behind, unless it has those of others."""
    with alone():
        if os.path.isdir(NAMES) and os.listdir(NAMES):
            return
        while subprocess.run(["umount", NAMES], stderr=subprocess.DEVNULL).returncode == 0:
            pass
        shutil.rmtree(NAMES, ignore_errors=True)


def make_hosts(n_hosts):
    with alone():
        remove_hosts()
        call("ip", "netns", "add", SWITCH)
    call("ip", "-n", SWITCH, "link", "add", "bridge", "type", "bridge")
    call("ip", "-n", SWITCH, "link", "set", "bridge", "up")
    for n in range(1, n_hosts + 1):
        host = f"{PREFIX}{n}"
        call("ip", "netns", "add", host)
        call("ip", "-n", host, "link", "add", "net", "type", "veth", "peer", "name", f"port{n}",
             "netns", SWITCH)
        call("ip", "-n", SWITCH, "link", "set", f"port{n}", "master", "bridge", "up")
        call("ip", "-n", host, "address", "add", f"{SUBNET}.{n}/24", "dev", "net")
        call("ip", "-n", host, "link", "set", "lo", "up")
        call("ip", "-n", host, "link", "set", "net", "up")


def enter(n, command):
    """The command that runs a command on host n."""
    return ["ip", "netns", "exec", f"{PREFIX}{n}", "unshare", "--uts", "sh", "-c",
            f'hostname urbarium-host-{n} && exec "$@"', "sh", *command]


def received_bytes(n):
    text = call("ip", "netns", "exec", f"{PREFIX}{n}", "cat", "/proc/net/dev")
    return next(int(line.split()[1]) for line in text.splitlines()
                if line.strip().startswith("net:"))


def write_agent(path, folder, runs):
    """@folder has the dataset, which a host may have another one of."""
    with open(path, "w") as file:
        file.write(AGENT % {"prefix": PREFIX, "runs": runs, "folder": folder})
    os.chmod(path, 0o755)


def environment(agent):
    """What makes Open MPI 4 and 5 use the agent, and only TCP on the subnet."""
    subnet = f"{SUBNET}.0/24"
    return {"OMPI_MCA_plm_rsh_agent": agent, "PRTE_MCA_plm_ssh_agent": agent,
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_btl_tcp_if_include": subnet,
            "OMPI_MCA_oob": "tcp", "OMPI_MCA_oob_tcp_if_include": subnet,
            "PRTE_MCA_prte_if_include": subnet}


def find_obstacle():
    """Why there can be no hosts here, or None; leaves two."""
    if os.geteuid() != 0:
        return "creating hosts needs root"
    for program in "ip", "mpirun", "unshare":
        if shutil.which(program) is None:
            return f"{program} is missing"
    if "mpi" not in call("mpirun", "--version").lower():
        return "mpirun is not from Open MPI"
    atexit.register(leave_no_mount)
    try:
        make_hosts(2)
        call("ip", "netns", "exec", PREFIX + "1", "unshare", "--uts", "hostname", "urbarium-host-1")
    except (OSError, subprocess.SubprocessError) as error:
        return f"namespaces are not permitted ({error})"
    return None
