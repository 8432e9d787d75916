# What bench/scale, bench/soak and bench/incident share: the dashboard in a pseudo-terminal whose screen can be read, other programs
# timed, the access that a kubeconfig gives, and the table. It measures nothing by itself and needs Python 3 on Linux.
import base64
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from http.client import HTTPSConnection
from urllib.parse import urlsplit

ROWS, COLUMNS = 45, 160
# Nothing that is measured takes this long; what does is told as not seen.
PATIENCE = 30.0


class Screen:
    """What a terminal would show: as much of its language as the dashboard writes."""

    TOKEN = re.compile(
        r"\x1b\[([?><=]?)([0-9;:]*)([@-~])"  # CSI
        r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
        r"|\x1b[()][0-9A-B]|\x1b[78=>cM]"
        r"|([\r\n\x08])"
        r"|([^\x1b\x00-\x1f]+)"
        r"|[\x00-\x1a\x1c-\x1f]"
    )

    def __init__(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.rest = b""

    def feed(self, data):
        text = (self.rest + data).decode("utf-8", "surrogateescape")
        at = 0
        while at < len(text):
            token = self.TOKEN.match(text, at)
            if token is None:
                break  # The rest of it is still to come.
            at = token.end()
            private, numbers, final, control, plain = token.groups()
            if plain is not None:
                if at == len(text) and any("\udc80" <= c <= "\udcff" for c in plain[-3:]):
                    # A character that was cut; it is taken up with its end.
                    cut = next(i for i in range(-min(3, len(plain)), 0) if "\udc80" <= plain[i] <= "\udcff")
                    at += cut
                    self.write(plain[:cut])
                    break
                self.write(plain)
            elif control == "\r":
                self.column = 0
            elif control == "\n":
                self.row = min(self.row + 1, ROWS - 1)
            elif control == "\x08":
                self.column = max(self.column - 1, 0)
            elif final and not private:
                self.control(final, [int(n) if n.isdigit() else 0 for n in numbers.split(";")])
        self.rest = text[at:].encode("utf-8", "surrogateescape")

    def write(self, text):
        for character in text:
            if self.column < COLUMNS:
                self.cells[self.row][self.column] = character
            self.column += 1

    def control(self, final, numbers):
        first = numbers[0]
        if final in "Hf":
            column = numbers[1] if len(numbers) > 1 else 1
            self.row = min(max(first, 1), ROWS) - 1
            self.column = min(max(column, 1), COLUMNS) - 1
        elif final == "A":
            self.row = max(self.row - max(first, 1), 0)
        elif final == "B":
            self.row = min(self.row + max(first, 1), ROWS - 1)
        elif final == "C":
            self.column = min(self.column + max(first, 1), COLUMNS - 1)
        elif final == "D":
            self.column = max(self.column - max(first, 1), 0)
        elif final == "G":
            self.column = max(first, 1) - 1
        elif final == "d":
            self.row = max(first, 1) - 1
        elif final == "J" and first == 2:
            self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        elif final == "K":
            self.cells[self.row][self.column :] = [" "] * (COLUMNS - self.column)

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())


class Dashboard:
    """The program in a terminal of its own, from the moment before it is executed."""

    def __init__(self, command, environment):
        self.screen = Screen()
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.master = master
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, start_new_session=True
        )
        os.close(terminal)
        self.pid = self.process.pid

    def look(self, patience):
        """Takes in what comes next; the moment when it came, or None."""
        ready, _, _ = select.select([self.master], [], [], max(patience, 0))
        if not ready:
            return None
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            data = b""
        now = time.monotonic()
        if not data:
            sys.exit(f"The dashboard ended by itself:\n{self.screen.text()}")
        self.screen.feed(data)
        return now

    def until(self, seen, patience=PATIENCE):
        """The moment at which the screen showed it, or None."""
        end = time.monotonic() + patience
        if seen(self.screen.text()):
            return time.monotonic()
        while (left := end - time.monotonic()) > 0:
            now = self.look(left)
            if now is not None and seen(self.screen.text()):
                return now
        return None

    def settle(self, seconds):
        """Takes in whatever comes for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.look(left)

    def press(self, keys):
        os.write(self.master, keys)

    def memory(self):
        """Resident now and at most, in MB (10^6 bytes)."""
        with open(f"/proc/{self.pid}/status") as status:
            found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", status.read(), re.M))
        return int(found["VmRSS"]) * 1024 / 1e6, int(found["VmHWM"]) * 1024 / 1e6

    def cpu(self):
        """Seconds of CPU used so far; the kernel counts them in hundredths."""
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        if self.process.poll() is None:
            self.press(b"q")
            try:
                # It must not wait for somebody to read what it writes last.
                end = time.monotonic() + 3
                while self.process.poll() is None and time.monotonic() < end:
                    if select.select([self.master], [], [], 0.05)[0]:
                        try:
                            os.read(self.master, 1 << 16)
                        except OSError:
                            break
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()
        os.close(self.master)


class Access:
    """Server and credentials of a kubeconfig with one cluster and one user, as files that only this user may read."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            text = file.read()
        self.folder = tempfile.mkdtemp(prefix="confsplit-bench-")  # mode 0700
        self.server = self.value(text, "server")
        self.ca, self.cert, self.key = (
            self.file(text, kubeconfig, name)
            for name in ("certificate-authority", "client-certificate", "client-key")
        )

    @staticmethod
    def value(text, key, needed=True):
        found = set(re.findall(rf"""(?<![\w-]){key}["']?:\s*["']?([^\s"',}}]+)""", text))
        if len(found) == 1:
            return found.pop()
        if found or needed:
            sys.exit(
                f"The kubeconfig has {len(found)} different `{key}`, one is needed; "
                "`kubectl config view --raw --minify --flatten` writes one that has."
            )
        return None

    def file(self, text, kubeconfig, name):
        data = self.value(text, f"{name}-data", needed=False)
        if data is not None:
            content = base64.b64decode(data)
        else:
            path = os.path.join(os.path.dirname(kubeconfig), self.value(text, name))
            with open(path, "rb") as file:
                content = file.read()
        path = os.path.join(self.folder, name)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return path

    def curl(self, path):
        return [
            "curl", "-sS", "--fail", "--compressed", "--noproxy", "*", "--cacert", self.ca, "--cert", self.cert,
            "--key", self.key, "-o", "/dev/null", self.server + path,
        ]  # fmt: skip

    def connect(self):
        """A connection that is kept, so that a request costs no handshake."""
        context = ssl.create_default_context(cafile=self.ca)
        context.load_cert_chain(self.cert, self.key)
        url = urlsplit(self.server)
        connection = HTTPSConnection(url.hostname, url.port or 443, context=context, timeout=PATIENCE)
        connection.connect()
        return connection

    def forget(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def ask(connection, method, path, body=None, good=(200,)):
    """An answer's body, and when it had arrived."""
    form = "application/json" if method == "POST" else "application/merge-patch+json"
    headers = {"Accept": "application/json", "Content-Type": form}
    connection.request(method, path, body and json.dumps(body), headers)
    response = connection.getresponse()
    answer = response.read()
    now = time.monotonic()
    if response.status not in good:
        sys.exit(f"{method} {path}: {response.status} {answer[:200]!r}")
    return json.loads(answer), now


def together(commands, environment=None):
    """How long all of them take, begun at once; None where one fails."""
    start = time.monotonic()
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        for command in commands
    ]
    errors = [process.communicate()[1] for process in running]
    took = time.monotonic() - start
    failed = [error.decode(errors="replace") for process, error in zip(running, errors) if process.returncode]
    if failed:
        print(f"  failed: {failed[0].strip()[:200]}", file=sys.stderr)
        return None
    return took


def report(command, environment):
    """A run of the program that ends by itself: its output, how long it took, and its most memory in MB.

    The memory is looked at while it runs: what the kernel tells of a process that has ended counts the program that
    started it too, and that is this one."""
    most = 0.0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=environment)
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status") as status:
                    found = re.search(r"^VmHWM:\s+(\d+) kB", status.read(), re.M)
                    most = max(most, int(found[1]) * 1024 / 1e6 if found else 0.0)
            except OSError:
                pass
            time.sleep(0.002)
        took = time.monotonic() - start
        if process.returncode not in (0, 1, 2):
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: {errors.read().decode(errors='replace')}")
        out.seek(0)
        return out.read(), took, most


def environment(kubeconfig):
    """That of the dashboard: a colour terminal, UTF-8, this cluster and nobody's settings."""
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return own | {
        "KUBECONFIG": os.path.abspath(kubeconfig),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "CONFSPLIT_CONFIG": "/dev/null",
    }


class Table:
    """Numbers with their unit, their spread, their goal, and whether that is met."""

    def __init__(self):
        self.lines = [("what", "median", "of all runs", "goal", "")]
        self.unmet = []

    def row(self, what, values, unit, goal=None, digits=0):
        values = [value for value in values if value is not None]
        if not values:
            self.lines.append((what, "not measured", "", goal_text(goal, unit), "" if goal is None else "not known"))
            if goal is not None:
                self.unmet.append(what)
            return None
        median = statistics.median(values)
        spread = f"{min(values):.{digits}f}–{max(values):.{digits}f} (n={len(values)})"
        verdict = ""
        if goal is not None:
            # What is shown is what is judged: nothing is rounded into a goal.
            verdict = "met" if median <= goal else "NOT met"
            if median > goal:
                self.unmet.append(what)
        self.lines.append((what, f"{median:.{digits}f} {unit}", spread, goal_text(goal, unit), verdict))
        return median

    def say(self, what, words, verdict=""):
        self.lines.append((what, words, "", "", verdict))

    def print(self):
        widths = [max(len(line[at]) for line in self.lines) for at in range(5)]
        # Words that are no number do not widen the column of numbers.
        widths[1] = max(len(line[1]) for line in self.lines if line[2] or not line[1].count(" ") > 3)
        for at, line in enumerate(self.lines):
            print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
            if at == 0:
                print("  ".join("-" * width for width in widths).rstrip())


def goal_text(goal, unit):
    return "" if goal is None else f"≤ {goal:g} {unit}"


def machine():
    """The shape of the machine, without its name."""
    with open("/proc/meminfo") as file:
        memory = int(re.search(r"MemTotal:\s+(\d+)", file.read()).group(1)) / 1e6
    load = os.getloadavg()[0]
    return f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {memory:.0f} GB, load {load:.1f} when it began"
