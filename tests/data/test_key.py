"""The key and its store: made once, closed to others, never shown."""

import copy
import json
import logging
import os
import pickle
import stat
import subprocess
import sys
import traceback

import pytest

from tacit.errors import InputError, OutputError, ParameterError, TacitError, UsageError
from tacit.random.key import Key, Subkey, default_key_path, load_key, load_ledger_key, new_key
from tacit.surface.cli import main

SECRET = bytes(range(100, 132))


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """An empty state folder, and a umask that would leave files open to all."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = os.umask(0)
    yield tmp_path / "state"
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, content, permissions=0o600):
    path.write_bytes(content)
    path.chmod(permissions)
    return path


# The key itself


def test_subkeys_differ_by_purpose_and_key_and_never_equal_the_identifier():
    key, other = Key(SECRET), Key(SECRET[::-1])
    derived = [key.subkey("order"), key.subkey("hide"), key.subkey(""), other.subkey("order")]
    assert len(set(derived)) == 4
    assert key.subkey("order") == Key(SECRET).subkey("order")
    assert len(derived[0].reveal()) == 16
    assert key.id not in {subkey.reveal().hex()[:16] for subkey in derived}
    assert key.id != other.id
    assert len(key.id) == 16


def test_the_words_of_a_subkey_are_its_halves():
    assert Subkey(bytes(range(16))).words == (0x0706050403020100, 0x0F0E0D0C0B0A0908)


def test_a_seed_marks_the_key_as_experimental():
    assert Key.from_seed(4).experimental
    assert Key.from_seed(4) == Key.from_seed(4) != Key.from_seed(5)
    assert not Key.random().experimental
    for wrong in (-1, True, 1.0, "1"):
        with pytest.raises(ParameterError, match="'seed' parameter"):
            Key.from_seed(wrong)


def test_a_key_and_a_subkey_are_never_equal_and_never_change():
    key = Key(SECRET)
    assert key != key.subkey("order")
    assert copy.deepcopy(key) is copy.copy(key) is key
    with pytest.raises(AttributeError):
        key._secret = bytes(32)
    with pytest.raises(AttributeError):
        key.experimental = True
    with pytest.raises(AttributeError):
        del key._secret


def shows(text, secret):
    """Whether a text holds the secret in any form a print could give it."""
    forms = (
        secret.hex(),
        secret.hex().upper(),
        repr(secret)[2:-1],
        str(list(secret)),
        str(int.from_bytes(secret)),
    )
    return any(form in text for form in forms)


def test_no_print_shows_a_secret(caplog):
    key = Key(SECRET)
    subkey = key.subkey("order")
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("tacit").debug("%s %r %s %r", key, key, subkey, [subkey])
    printed = f"{key} {key!r} {subkey} {[subkey]!r} {caplog.text}"
    assert key.id in printed
    assert not shows(printed, SECRET)
    assert not shows(printed, subkey.reveal())
    assert shows(repr(SECRET), SECRET)  # the check itself can see
    with pytest.raises(TypeError):
        json.dumps(key)


def test_a_key_is_not_pickled_and_a_subkey_is():
    with pytest.raises(TypeError, match="cannot be pickled") as caught:
        pickle.dumps({"key": Key(SECRET)})
    assert not shows(str(caught.value), SECRET)
    subkey = Key(SECRET).subkey("order")
    assert pickle.loads(pickle.dumps(subkey)) == subkey


def test_a_secret_of_the_wrong_length_is_refused_without_being_shown():
    for kind, wrong in ((Key, SECRET[:31]), (Key, SECRET.hex()), (Subkey, SECRET)):
        with pytest.raises(ValueError, match="exactly") as caught:
            kind(wrong)
        assert SECRET[:31].hex() not in str(caught.value)


# The store


def test_the_key_is_made_on_first_use_and_reused(state):
    first = load_key()
    assert load_key() == first == load_key(default_key_path())
    assert default_key_path() == state / "tacit" / "key"
    assert mode(default_key_path()) == 0o600
    assert mode(state / "tacit") == 0o700
    assert names(state / "tacit") == ["key"]
    comment, digits = default_key_path().read_text().splitlines()
    assert comment.startswith("#")
    assert Key(bytes.fromhex(digits)) == first


def test_the_ledger_has_a_key_of_its_own_beside_it(state):
    assert load_ledger_key() == load_ledger_key() != load_key()
    assert names(state / "tacit") == ["key", "ledger-key"]
    assert mode(state / "tacit" / "ledger-key") == 0o600


def test_an_open_state_folder_is_closed(state):
    (state / "tacit").mkdir(parents=True, mode=0o777)
    load_key()
    assert mode(state / "tacit") == 0o700


def test_without_a_state_variable_the_home_folder_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/folder"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert default_key_path() == tmp_path / ".local" / "state" / "tacit" / "key"


def test_processes_that_start_together_end_with_one_key(state):
    program = (
        "import sys; from tacit.random.key import load_key\n"
        "print('ready', flush=True); sys.stdin.read(1); print(load_key().id)"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    runs = [subprocess.Popen([sys.executable, "-c", program], text=True, **pipes) for _ in range(6)]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:  # all wait at the same line; let them go at once
        run.stdin.write("x")
        run.stdin.flush()
    found = {run.communicate()[0].strip() for run in runs}
    assert found == {load_key().id}
    assert names(state / "tacit") == ["key"]


def test_the_loser_of_a_race_takes_the_winners_key(state, monkeypatch):
    winner = new_key()
    monkeypatch.setattr(os.path, "lexists", lambda path: False)  # looked before the winner wrote
    assert load_key() == winner
    assert names(state / "tacit") == ["key"]


def test_a_new_key_replaces_another_only_when_told_to(tmp_path):
    path = tmp_path / "mine"
    first = new_key(path)
    with pytest.raises(OutputError) as caught:
        new_key(path)
    assert caught.value.code == "key-exists"
    assert load_key(path) == first
    second = new_key(path, overwrite=True)
    assert load_key(path) == second != first
    assert mode(path) == 0o600
    assert names(tmp_path) == ["mine"]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left") as caught:
        new_key(tmp_path / "mine")
    assert caught.value.code == "key-not-written"
    assert names(tmp_path) == []


@pytest.mark.parametrize("create", [True, False])
def test_a_named_key_must_exist(tmp_path, create):
    with pytest.raises(UsageError) as caught:
        load_key(tmp_path / "key", create=create)
    assert caught.value.code == "key-missing"
    assert names(tmp_path) == []


@pytest.mark.parametrize("load", [load_key, load_ledger_key])
def test_nothing_is_made_when_told_not_to(state, load):
    with pytest.raises(UsageError) as caught:
        load(create=False)
    assert caught.value.code == "key-missing"
    assert not state.exists()


@pytest.mark.parametrize("permissions", [0o640, 0o604, 0o620, 0o601, 0o777])
def test_a_key_open_to_others_is_refused(tmp_path, permissions):
    path = write(tmp_path / "key", SECRET.hex().encode(), permissions)
    with pytest.raises(InputError, match=f"{permissions:04o}") as caught:
        load_key(path)
    assert caught.value.code == "key-permissions"
    assert "chmod 600" in caught.value.hint
    path.chmod(0o400)
    assert load_key(path) == Key(SECRET)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# only a comment\n",
        SECRET,
        SECRET.hex().encode()[:-1],
        SECRET.hex().encode() + b"00",
        SECRET.hex().encode()[:-1] + b"g",
        SECRET.hex().encode()[:-2] + b" 1",
        SECRET.hex().encode() + b"\n" + SECRET.hex().encode(),
        SECRET.hex().encode() + b"\n" * 5000,
        b"\xff\xfe" + SECRET.hex().encode("utf-16-le"),
    ],
)
def test_a_malformed_key_is_refused_and_not_quoted(tmp_path, content):
    path = write(tmp_path / "key", content)
    with pytest.raises(InputError) as caught:
        load_key(path)
    assert caught.value.code == "key-malformed"
    printed = "".join(traceback.format_exception(caught.value)) + json.dumps(caught.value.to_dict())
    assert SECRET.hex()[:16] not in printed
    assert caught.value.__context__ is None


@pytest.mark.parametrize("form", [str.upper, lambda digits: f"\r\n# mine\r\n  {digits}  \r\n"])
def test_a_key_written_by_hand_is_read(tmp_path, form):
    assert load_key(write(tmp_path / "key", form(SECRET.hex()).encode())) == Key(SECRET)


def test_what_is_no_file_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "loop").symlink_to("loop")
    for path, code in (
        (tmp_path, "key-malformed"),
        (tmp_path / "pipe", "key-malformed"),
        (tmp_path / "loop", None),
    ):
        with pytest.raises(InputError) as caught:
            load_key(path)
        assert caught.value.code == (code or "key-unreadable")


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(TacitError) as caught:
        load_key()
    assert caught.value.code == "key-not-written"


# The commands


def test_the_commands_make_and_name_a_key_without_showing_it(capsys):
    assert main(["key", "new", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made == {"file": str(default_key_path()), "id": load_key().id}
    assert main(["key", "show-id"]) == 0
    shown = capsys.readouterr().out
    assert made["id"] in shown
    assert not shows(shown, load_key().reveal())


def test_the_commands_take_a_file_and_refuse_to_replace_it(tmp_path, capsys):
    file = str(tmp_path / "mine")
    assert main(["key", "show-id", file]) == 2
    assert main(["key", "new", file]) == 0
    first = load_key(file)
    assert main(["key", "new", file]) == 6
    assert load_key(file) == first
    assert main(["key", "new", file, "--force"]) == 0
    assert load_key(file) != first
    (tmp_path / "mine").chmod(0o644)
    capsys.readouterr()
    assert main(["key", "show-id", file, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "key-permissions"
