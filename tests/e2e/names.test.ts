import { expect, type Page } from '@playwright/test';
import { accessibilityFaults, choose, dialog, row, tray, upload } from '../support/page.ts';
import { test } from './fixtures.ts';

const RLO = '\u202E';
const SPOOF = `invoice${RLO}fdp.exe`;
const SHOWN = 'invoice⟨U+202E⟩fdp.exe';
const LONG =
  'quarterly report of the whole group with all of its subsidiaries, second draft of the final version.tar.gz';

/** Texts and labels of the page that hold the character as it is. In addresses it is encoded, and a field holds what is typed into it. */
function raw(page: Page): Promise<string[]> {
  return page.evaluate((character) => {
    const texts = [document.title];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      if (node instanceof Element)
        texts.push(...[...node.attributes].filter(({ name }) => name !== 'value').map(({ value }) => value));
      else texts.push(node.textContent ?? '');
    }
    return texts.filter((text) => text.includes(character));
  }, RLO);
}

test.describe('a name that turns the order of its letters around', () => {
  test('is shown with the character that does it, wherever it stands', async ({ files, openFolder, page }) => {
    await files.put(`safe/${SPOOF}`, 'x', 'text/plain');
    await files.put(`safe/in${RLO}side/${SPOOF}`, 'x');
    await openFolder('safe/');
    await expect(row(page, SHOWN)).toBeVisible();
    await expect(row(page, SHOWN).getByRole('link')).toHaveText('invoice⟨U+202E⟩fdp.exe');
    await expect(row(page, SHOWN).locator('bdi')).toHaveCount(1);
    expect(await raw(page)).toEqual([]);
    for (const action of ['Share link', 'Rename', 'Copy to…', 'Delete']) {
      await choose(page, SHOWN, action);
      await expect(dialog(page)).toContainText('⟨U+202E⟩');
      expect(await raw(page), action).toEqual([]);
      expect(await accessibilityFaults(page), action).toEqual([]);
      await dialog(page).getByRole('button', { name: 'Close' }).click();
      await expect(dialog(page)).not.toBeAttached();
    }
    await row(page, SHOWN).getByRole('link').click();
    await expect(page.getByRole('complementary', { name: `Details of ${SHOWN}` })).toBeVisible();
    await expect(page.getByText('Address')).toBeVisible();
    await expect(page.getByRole('group', { name: `Content of ${SHOWN}` })).toBeVisible();
    await expect(page).toHaveTitle(new RegExp(SHOWN.replace('+', '\\+')));
    expect(await raw(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await row(page, 'in⟨U+202E⟩side').getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('in⟨U+202E⟩side');
    await expect(row(page, SHOWN)).toBeVisible();
    expect(await raw(page)).toEqual([]);
  });

  test('is shown so while it is uploaded, and where its name is taken', async ({ files, openFolder, page }) => {
    await files.put(`safe-up/${SPOOF}`, 'x');
    await openFolder('safe-up/');
    await upload(page, { name: SPOOF, mimeType: 'text/plain', buffer: Buffer.from('sent') });
    await expect(dialog(page, 'File already exists')).toContainText('invoice⟨U+202E⟩fdp.exe');
    expect(await raw(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Replace' }).click();
    await expect(
      tray(page)
        .getByText(/Uploaded 1 file/)
        .first(),
    ).toBeVisible();
    await expect(tray(page)).toContainText('⟨U+202E⟩');
    expect(await raw(page)).toEqual([]);
    await choose(page, SHOWN, 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(tray(page).getByText('Done · 1 of 1')).toBeVisible();
    await tray(page).getByRole('button', { name: 'Results' }).click();
    await expect(dialog(page)).toContainText('⟨U+202E⟩');
    expect(await raw(page)).toEqual([]);
  });
});

test.describe('names that look the same', () => {
  test('are told apart when they differ only by what cannot be seen', async ({ files, openFolder, page }) => {
    for (const name of ['report.txt', 're\u200Bport.txt', 'report.txt ', 'report\u00A0.txt', 'report .txt'])
      await files.put(`same/${name}`, 'x');
    await openFolder('same/');
    await expect(page.getByRole('row')).toHaveCount(6);
    const drawn = await page.getByRole('row').getByRole('link').allTextContents();
    expect(drawn.sort()).toEqual([
      'report .txt',
      'report.txt',
      'report.txt⟨U+0020⟩',
      'report⟨U+00A0⟩.txt',
      're⟨U+200B⟩port.txt',
    ]);
    await choose(page, 're⟨U+200B⟩port.txt', 'Rename');
    await expect(dialog(page).getByText('It contains invisible characters')).toContainText('re⟨U+200B⟩port.txt');
  });
});

test.describe('a name of many invisible characters', () => {
  test('has one element for those in a row, because the browser takes long for hundreds in each row', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put(`many/${'\u0001'.repeat(200)}.txt`, 'x');
    await openFolder('many/');
    const link = page.getByRole('row').getByRole('link').first();
    await expect(link).toHaveText(`${'⟨U+0001⟩'.repeat(200)}.txt`);
    // Those of the end, which stays visible, are another one.
    expect(await link.getByTitle('Invisible character').count()).toBeLessThanOrEqual(2);
  });
});

test.describe('a long name', () => {
  for (const width of [1280, 390]) {
    test(`keeps its ending at ${width} px, and is whole for who cannot see it`, async ({ files, openFolder, page }) => {
      await page.setViewportSize({ width, height: 800 });
      await files.put(`long/${LONG}`, 'x');
      await openFolder('long/');
      const link = row(page, LONG).getByRole('link', { name: LONG, exact: true });
      await expect(link).toHaveText(LONG);
      // Where the last letters are drawn, against the part of the row that is not cut off.
      const ending = await link.evaluate((element) => {
        const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let last: Node = element;
        for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) last = node;
        const range = document.createRange();
        range.setStart(last, last.textContent!.length - '.tar.gz'.length);
        range.setEnd(last, last.textContent!.length);
        return { drawnTo: range.getBoundingClientRect().right, shownTo: element.getBoundingClientRect().right };
      });
      expect(ending.drawnTo).toBeLessThanOrEqual(ending.shownTo + 1);
    });
  }
});

test.describe('a person whose name turns the order of its letters around', () => {
  const spoofed = (person: object) => ({ ...person, name: `Eve${RLO}nimdA`, subject: `eve${RLO}ada` });

  test('is shown so in the menu of the session, beside groups of such names, and all of them can be read', async ({
    app,
    openAs,
    page,
  }) => {
    await page.route('**/v1/auth/session', async (route) => {
      const response = await route.fetch();
      const groups = Array.from({ length: 100 }, (_, index) => `${index}${RLO}spuorg`);
      await route.fulfill({ response, json: { ...spoofed((await response.json()) as object), groups } });
    });
    await openAs('eve', app.origin);
    await page.getByRole('button', { name: 'Session of' }).click();
    await expect(dialog(page, 'Session')).toContainText('99⟨U+202E⟩spuorg');
    expect(await raw(page)).toEqual([]);
    await dialog(page, 'Session').getByText('eve⟨U+202E⟩ada').scrollIntoViewIfNeeded();
    await expect(dialog(page, 'Session').getByText('eve⟨U+202E⟩ada')).toBeInViewport();
  });

  test('is shown so among the sessions, also in titles and labels', async ({ app, openAs, page }) => {
    await page.route('**/api/admin/sessions*', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { sessions: readonly object[] };
      await route.fulfill({ response, json: { ...answer, sessions: answer.sessions.map(spoofed) } });
    });
    await openAs('ada', `${app.origin}/admin/sessions`);
    await expect(page.getByRole('button', { name: 'End the session of Eve⟨U+202E⟩nimdA' }).first()).toBeVisible();
    expect(await raw(page)).toEqual([]);
  });
});
