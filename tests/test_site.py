"""The documentation site: built without a warning, and searched in a browser without a network."""

import shutil
import subprocess
import sys

import pytest
from paths import ROOT
from playwright.sync_api import sync_playwright

pytest.importorskip("sphinx_gallery", reason="needs the extra docs")
pytest.importorskip("myst_parser", reason="needs the extra docs")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    # A copy, since the gallery and the reference are written beside their sources.
    for part in ("docs", "src", "data/bundled"):
        shutil.copytree(
            ROOT / part,
            folder / part,
            ignore=shutil.ignore_patterns("_build", "gallery", "reference"),
        )
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "built"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "built"


def test_builds_without_a_warning_and_has_every_page(site):
    pages = ["start", "estimators", "gallery/stars", "extending", "cluster", "testing", "speed"]
    assert all((site / f"{page}.html").is_file() for page in pages)
    assert "slope 2.36" in (site / "gallery/stars.html").read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_search_works_offline(site):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.goto((site / "search.html").as_uri() + "?q=MCCVCRegressor")
        results = page.locator("#search-results li")
        results.first.wait_for(timeout=20_000)
        assert any("MCCVCRegressor" in text for text in results.all_inner_texts())
        results.locator("a").first.click()
        assert page.url.startswith(site.as_uri())
        browser.close()
