"""Projects: what was done on the page is there again after a stop, a kill or a move of the folder."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn
from markupsafe import Markup

from tacit.errors import TacitError
from tacit.surface.page.app import make_app
from tacit.surface.page.guard import Admission
from tacit.surface.page.outcome import RECORDS, publish_candidate
from tacit.surface.page.project import OTHERS, Project, lasting, read_drawn, write_sealed
from tacit.surface.page.session import Session

from .conftest import UPLOAD_LIMIT, Served, publishing

TABLE = "name,age,decimal,disease\n" + "".join(
    f"P{row},{20 + row % 30},{row % 3},{'abcd'[row % 4]}\n" for row in range(90)
)
ROLES = {"name": "drop", "age": "quasi", "decimal": "quasi", "disease": "sensitive"}


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """The page over a project, until the block ends."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    admission = Admission(listener.getsockname()[1])
    with lasting(folder) as private:
        app = make_app(private, admission, upload_limit=UPLOAD_LIMIT, temporary=False)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="critical", lifespan="on", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            sleep(0.01)
        try:
            yield Served(app, admission, private)
        finally:
            server.should_exit = True
            thread.join(20)
            listener.close()


def sent(served: Served, path: str, fields: dict[str, Any] | None = None, **file: str) -> dict[str, Any]:
    """What the page answers to a form, or to a file."""
    if file:
        (name, content), headers = next(iter(file.items())), {"content-type": "application/octet-stream"}
        headers["x-file-name"], body = name.replace("_", "."), content.encode()
    else:
        headers, body = {"content-type": "application/json"}, json.dumps(fields or {}).encode()
    answer = served.ask("POST", path, served.credentials | headers, body)
    told: dict[str, Any] = json.loads(answer.body)
    if "job" in told:
        served.wait(told["job"])
    return told


def looked_at(served: Served) -> Any:
    """The only data set, once it was looked at."""
    (data,) = served.session.data.values()
    end = monotonic() + 60
    while data.look is not None and not data.look.over:
        assert monotonic() < end
        sleep(0.02)
    return data


def page(served: Served, path: str) -> str:
    return served.ask("GET", path, served.credentials).body.decode()


@pytest.mark.ci
def test_everything_is_there_after_a_stop(tmp_path: Path) -> None:
    with serving(tmp_path / "project") as served:
        sent(served, "/data", people_csv=TABLE)
        data = looked_at(served)
        sent(served, f"/data/{data.id}/roles", {"roles": ROLES})
        rule = {"column": "age", "by": "intervals", "width": "2.5", "nesting": "2"}
        sent(served, f"/data/{data.id}/hierarchy-rule", rule)
        job = sent(served, f"/data/{data.id}/runs", {"method": "bucketize", "l": "2"})["job"]
        sent(served, f"/data/{data.id}/choices", {"method": "bucketize", "l": "3"})
        before = page(served, f"/data/{data.id}")
        assert "at least 2 different" in before
        name = data.id
    assert (tmp_path / "project").stat().st_mode & 0o777 == 0o700
    shutil.move(tmp_path / "project", tmp_path / "moved")  # another disk, another computer
    with serving(tmp_path / "moved") as served:
        after = page(served, f"/data/{name}")
        for text in ("people.csv", "by intervals", "at least 2 different", 'value="3"'):
            assert text in before and text in after
        assert "before a change" not in after
        # It goes on: what was made is published, where the user says.
        target = tmp_path / "out" / "people"
        told = sent(served, f"/jobs/{job}/publish", {"place": str(target)})
        assert served.session.jobs.all[told["job"]].state == "done"
        assert (target / "release.json").is_file() and (tmp_path / "out" / "people.private").is_dir()
        again = sent(served, f"/data/{name}/runs", {"method": "bucketize", "l": "3"})["job"]
        assert served.session.jobs.all[again].state == "done"
        # Copies in a format of the user's own, which is asked for once.
        for wanted, code in (({"to": "pdf"}, "parameter"), ({"to": "csv", "delimiter": "-"}, "parameter")):
            assert sent(served, f"/jobs/{job}/copies", wanted)["error"]["code"].startswith(code)
        assert sent(served, f"/jobs/{again}/copies", {"to": "xlsx"}).keys() == {"error"}  # not published
        sent(served, f"/jobs/{job}/copies", {"to": "csv", "delimiter": ";", "encoding": "utf-8-sig"})
    with serving(tmp_path / "moved") as served:
        shown = page(served, f"/data/{name}?job={job}")
        assert str(target) in shown and "Download st.csv" in shown
        assert '<option value="utf-8-sig" selected' in shown
        copy = served.ask("GET", f"/jobs/{job}/files/st.csv", served.credentials).body
        assert copy.startswith("\ufeffgroup;disease;count".encode())
        answer = {"acknowledged": "composition", "reason": "both are wanted", "acknowledged_by": "office"}
        told = sent(served, f"/jobs/{again}/publish", answer)
        assert served.session.jobs.all[told["job"]].state == "done"
        copying = served.session.jobs.all[again].about["copying"]
        assert served.wait(copying.id).result == {"files": ["qit.csv", "st.csv"]}
        assert len(served.session.about(served.session.data[name], "run")) == 2
        sent(served, f"/data/{name}/remove")
        assert not list((served.folder / "data").iterdir()) and not list((served.folder / "jobs").iterdir())
    with serving(tmp_path / "moved") as served:
        assert not served.session.data
    assert (target / "release.json").is_file()  # what is published is not the project's


@pytest.mark.ci
def test_a_run_that_was_killed_is_told_and_an_unseen_file_is_looked_at(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        sent(served, "/data", people_csv=TABLE)
        data = looked_at(served)
        sent(served, f"/data/{data.id}/roles", {"roles": ROLES})
        sent(served, f"/data/{data.id}/runs", {"method": "bucketize", "l": "2"})
    written = json.loads((tmp_path / "project.json").read_text())
    (run,) = written["jobs"]
    run["state"], written["data"][0]["seen"] = "running", None
    (tmp_path / "project.json").write_text(json.dumps(written))
    with serving(tmp_path) as served:
        assert looked_at(served).seen is not None
        (job,) = served.session.about(served.session.data[data.id], "run")
        assert job.state == "failed" and job.error["code"] == "page-stopped"
        assert not job.folder.exists()


def test_a_recipe_is_opened(tmp_path: Path) -> None:
    recipe = """
    [source]
    path = "data/people.csv"
    quasi = ["age"]
    sensitive = ["disease"]
    hierarchies.age = { by = "intervals", width = 10 }
    [knowledge]
    min_expectation = 0.8
    [[release]]
    method = "bucketize"
    l = 2
    output = "out"
    """
    with serving(tmp_path) as served:
        assert sent(served, "/data", recipe_toml=recipe)["error"]["code"] == "recipe-needs-file"
        sent(served, "/data", people_csv=TABLE)
        data = looked_at(served)
        assert sent(served, "/data", recipe_toml=recipe) == {"location": f"/data/{data.id}"}
        assert looked_at(served).look.error is None
        assert data.roles == {"name": "none", "age": "quasi", "decimal": "none", "disease": "sensitive"}
        assert data.hierarchies["age"].tree["depth"] == 2
        assert data.choices["bucketize"] == {
            "method": "bucketize",
            "l": "2",
            "knowledge_min_expectation": "0.8",
        }
        limited = recipe.replace('output = "out"', 'output = "out"\nlimits.max_posterior = 0.5')
        assert sent(served, "/data", recipe_toml=limited)["error"]["code"] == "recipe-not-shown"
        files = recipe.replace('{ by = "intervals", width = 10 }', '"age.csv"')
        assert sent(served, "/data", recipe_toml=files)["error"]["code"] == "recipe-needs-hierarchy"
        assert sent(served, "/data", recipe_toml="source = 3")["error"]["code"].startswith("recipe")
        sent(served, "/data", sample_toml=recipe.replace("data/people.csv", "sample:hospital:50"))
        assert len(served.session.data) == 2


@pytest.mark.ci
def test_a_run_of_a_tab_that_shows_something_else_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        sent(served, "/data", people_csv=TABLE)
        data = looked_at(served)
        sent(served, f"/data/{data.id}/roles", {"roles": ROLES})
        seen = data.state
        sent(served, f"/data/{data.id}/roles", {"roles": ROLES | {"decimal": "none"}})
        asked = {"method": "bucketize", "l": "2", "shown_state": seen}
        assert sent(served, f"/data/{data.id}/runs", asked)["error"]["code"] == "changed-elsewhere"
        assert "job" in sent(served, f"/data/{data.id}/runs", asked | {"shown_state": data.state})


def test_one_page_at_a_time_and_no_other_folder(tmp_path: Path) -> None:
    with lasting(tmp_path / "one"), pytest.raises(TacitError) as caught, lasting(tmp_path / "one"):
        pass
    assert caught.value.code == "project-open"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "thesis.txt").touch()
    with pytest.raises(TacitError) as caught, lasting(tmp_path / "two"):
        pass
    assert caught.value.code == "project-elsewhere"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told.update(format=99),
        lambda told: told["data"][0].update(id="../../etc"),
        lambda told: told["data"][0].update(path="../../secret.csv"),
        lambda told: told["data"][0].update(path="/etc/passwd"),
        lambda told: told.pop("jobs"),
        lambda told: told["data"].append(7),
    ],
)
def test_a_project_that_was_not_written_by_the_page_is_refused(tmp_path: Path, spoil: Any) -> None:
    one = {"id": "0" * 16, "name": "a", "size": 1, "layout": "table", "reading": {}, "roles": None}
    one |= {"choices": {}, "method": None, "columns": [], "seen": None, "path": "data.csv", "hierarchies": {}}
    told = {"format": 1, "data": [one], "jobs": []}
    (tmp_path / "project.json").write_text(json.dumps(told))
    Project(tmp_path, Session(tmp_path, upload_limit=1)).load()
    spoil(told)
    (tmp_path / "project.json").write_text(json.dumps(told))
    with pytest.raises(TacitError) as caught:
        Project(tmp_path, Session(tmp_path, upload_limit=1)).load()
    assert caught.value.code == "project-malformed"


def test_nothing_of_another_account_is_unpickled(tmp_path: Path) -> None:
    class Planted:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "done",)

    (tmp_path / RECORDS).write_bytes(b"\0" * 32 + pickle.dumps(Planted()))
    with pytest.raises(TacitError) as caught:
        publish_candidate(publishing(tmp_path, tmp_path), lambda what, share: None)
    assert caught.value.code == "run-not-sealed" and not (tmp_path / "done").exists()


def test_nothing_that_another_account_drew_is_put_on_the_page(tmp_path: Path) -> None:
    path = tmp_path / "result.html"
    write_sealed(path, b"<p>ours</p>")
    assert read_drawn(path) == Markup("<p>ours</p>")
    path.write_bytes(b"\0" * 32 + b"<form action='//example.org'>")
    assert read_drawn(path) == OTHERS and not isinstance(read_drawn(path), Markup)
