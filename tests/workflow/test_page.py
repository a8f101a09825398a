"""The report in a real browser: Chromium, headless, without a network."""

import io
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import sync_playwright

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, finished):
    """Opens the report from disk, offline; messages of the console are kept in `messages`."""
    contexts = []

    def opened(scheme="light", width=1200):
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.messages = []
        page.on("console", lambda message: page.messages.append(message.text))
        page.on("pageerror", lambda error: page.messages.append(str(error)))
        page.on("request", lambda request: page.messages.append(request.url))
        page.goto((finished.path / "results/report.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def column(page, table, index):
    return page.locator(f"#{table} tbody tr:not([hidden]) td:nth-child({index})").all_inner_texts()


def test_opens_from_disk_without_network_and_without_complaint(open_page):
    page = open_page()
    unwanted = [m for m in page.messages if not m.startswith(("file:", "data:"))]
    assert unwanted == []
    assert page.locator(".answer p").count() == 3
    assert page.locator("img").evaluate_all("all => all.every(i => i.complete && i.naturalWidth)")


def test_a_trial_run_says_so_and_shows_no_verdicts(open_page):
    page = open_page()
    assert page.locator(".trial").is_visible()
    assert page.locator(".scores").count() == 0
    assert set(column(page, "claims", 1)) == {"? cannot be decided"}


def test_first_screen_has_the_picture_of_the_result(open_page):
    box = open_page(width=1280).locator(".first .picture img").bounding_box()
    assert box["y"] + box["height"] < 900


def test_claims_are_cards_on_a_phone(open_page):
    page = open_page(width=390)
    cells = page.locator("#claims tbody tr:first-child td")
    boxes = [cells.nth(i).bounding_box() for i in range(cells.count())]
    assert all(box["x"] + box["width"] <= 390 for box in boxes)
    tops = [box["y"] for box in boxes]
    assert tops == sorted(tops) and len(set(tops)) == len(tops)


def test_size(finished):
    assert (finished.path / "results/report.html").stat().st_size < 5_000_000


def test_tables_sort_by_number_and_back(open_page):
    page = open_page()
    button = page.locator("#comparisons-servo th button", has_text="Difference")
    before = column(page, "comparisons-servo", 5)
    numbers = sorted(float(text.replace("−", "-")) for text in before)
    button.click()
    found = [float(t.replace("−", "-")) for t in column(page, "comparisons-servo", 5)]
    assert found == numbers
    heading = page.locator("#comparisons-servo th", has_text="Difference")
    assert heading.get_attribute("aria-sort") == "ascending"
    button.click()
    found = [float(t.replace("−", "-")) for t in column(page, "comparisons-servo", 5)]
    assert found == numbers[::-1]
    assert heading.get_attribute("aria-sort") == "descending"


def test_tables_sort_by_text(open_page):
    page = open_page()
    page.locator("#table3 th button", has_text="Method").click()
    methods = column(page, "table3", 2)
    assert methods == sorted(methods)
    assert len(methods) == 6


def test_filter_keeps_the_rows_that_hold_the_text(open_page):
    page = open_page()
    verdicts = column(page, "claims", 1)
    page.locator('[data-filter="claims"]').fill("yACHT")
    shown = column(page, "claims", 1)
    assert 0 < len(shown) < len(verdicts)
    texts = page.locator("#claims tbody tr:not([hidden])").all_inner_texts()
    assert all("Yacht" in text for text in texts)
    page.locator('[data-filter="claims"]').fill("")
    assert column(page, "claims", 1) == verdicts


@pytest.mark.parametrize("width", [768, 1280])
def test_header_stays_while_one_searches_and_scrolls(open_page, width):
    page = open_page(width=width)
    page.locator("summary").evaluate_all("all => all.forEach(s => s.parentElement.open = true)")
    page.locator('[data-filter="cells"]').fill("table")
    region = page.get_by_role("region", name="Table cells")
    region.evaluate("r => { r.scrollIntoView(); r.scrollTop = r.scrollHeight; }")
    assert region.evaluate("r => r.scrollTop") > 0
    head = page.locator("#cells th").first
    assert head.bounding_box()["y"] == pytest.approx(region.bounding_box()["y"], abs=2)
    last = page.locator("#cells tbody tr:not([hidden])").last
    assert last.bounding_box()["y"] > head.bounding_box()["y"] + head.bounding_box()["height"]


def test_claims_link_to_their_evidence(open_page):
    page = open_page()
    links = page.locator("#claims td a")
    assert links.count() == page.locator("#claims tbody tr").count()
    assert links.evaluate_all("all => all.every(a => document.querySelector(a.hash))")
    links.filter(has_text="tables/comparisons.csv").first.click()
    assert page.locator("#comparisons").is_visible()


def test_figure_opens_in_full_size_and_closes(open_page):
    page = open_page()
    small = page.locator(".picture img").first
    natural = small.evaluate("i => i.naturalWidth")
    page.locator(".picture").first.click()
    large = page.locator("dialog[open] img")
    assert large.evaluate("i => i.getBoundingClientRect().width") == natural
    assert small.evaluate("i => i.getBoundingClientRect().width") < natural
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_data_of_a_figure_is_a_csv_file(open_page, finished):
    page = open_page()
    with page.expect_download() as download:
        page.locator('a[download="test_rmse.csv"]').click()
    expected = (finished.path / "results/figures/test_rmse.csv").read_bytes()
    with open(download.value.path(), "rb") as file:
        assert file.read() == expected


@pytest.mark.parametrize("width", [390, 768, 1200])
def test_no_horizontal_scroll(open_page, width):
    page = open_page(width=width)
    page.locator("summary").evaluate_all("all => all.forEach(s => s.parentElement.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible_in_both_themes(open_page, scheme):
    page = open_page(scheme)
    page.locator("summary").evaluate_all("all => all.forEach(s => s.parentElement.open = true)")
    violations = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in violations] == []


def test_figures_follow_the_theme(open_page):
    def paper(scheme):
        """Colour of the first figure's corner, as shown."""
        shot = open_page(scheme).locator(".picture img").first.screenshot()
        return Image.open(io.BytesIO(shot)).convert("RGB").getpixel((3, 3))

    assert paper("light") == (255, 255, 255)
    assert paper("dark") == (0x16, 0x1A, 0x20)


def test_prints_everything(open_page, tmp_path):
    page = open_page("dark")
    page.emulate_media(media="print", color_scheme="light")
    path = tmp_path / "report.pdf"
    page.pdf(path=path, format="A4")
    assert path.stat().st_size > 100_000
    assert page.locator("details:not([open])").count() == 0
