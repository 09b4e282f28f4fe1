import { expect } from '@playwright/test';
import { dialog, row, tray } from '../support/page.ts';
import { test } from './fixtures.ts';

test.describe('hands find what they are used to', () => {
  test('a picture from the clipboard is uploaded into the open folder, and none into a text field', async ({
    files,
    openFolder,
    page,
  }) => {
    await files.put('pasted/there.txt', 'x');
    await openFolder('pasted/');
    await expect(row(page, 'there.txt')).toBeVisible();
    const paste = (selector: string) =>
      page.evaluate((on) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['picture'], 'image.png', { type: 'image/png' }));
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData });
        document.querySelector(on)?.dispatchEvent(event);
        return event.defaultPrevented;
      }, selector);
    expect(await paste('main input:not([type=checkbox])')).toBe(false);
    expect(await paste('[role=grid]')).toBe(true);
    const name = /\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png/;
    await expect(row(page, name)).toHaveCount(1);
    await expect(tray(page).getByRole('link', { name })).toBeVisible();
  });

  test('typing goes to a row, Enter on the checkbox above selects all, and closing the help gives the focus back', async ({
    files,
    openFolder,
    page,
  }) => {
    for (const name of ['alpha.txt', 'beta.txt', 'bravo.txt']) await files.put(`typed/${name}`, name);
    await openFolder('typed/');
    const grid = page.getByRole('grid');
    await expect(row(page, 'bravo.txt')).toBeVisible();
    await grid.focus();
    const current = async () => page.locator(`[id="${(await grid.getAttribute('aria-activedescendant')) ?? ''}"]`);
    await page.keyboard.type('br');
    await expect(await current()).toContainText('bravo.txt');
    await page.getByRole('checkbox', { name: 'Select all rows' }).press('Enter');
    await expect(page.getByText('3 selected')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Select all rows' })).toBeChecked();
    await grid.focus();
    await page.keyboard.press('?');
    await expect(dialog(page, 'Keyboard shortcuts')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(grid).toBeFocused();
  });

  test('a long press with a finger selects a row', async ({ files, openFolder, page }) => {
    await files.put('pressed/a.txt', 'a');
    await openFolder('pressed/');
    await row(page, 'a.txt').evaluate((element) =>
      element.dispatchEvent(new PointerEvent('contextmenu', { bubbles: true, cancelable: true, pointerType: 'touch' })),
    );
    await expect(page.getByText('1 selected')).toBeVisible();
    await expect(page.getByRole('menu')).toHaveCount(0);
  });
});
