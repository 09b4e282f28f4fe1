import { expect } from '@playwright/test';
import { dialog, row } from '../support/page.ts';
import { test } from './fixtures.ts';
import { expectGoodScreen } from './views.ts';

test('content type, metadata and tags are changed in the details, each without the others', async ({
  files,
  openFolder,
  page,
}) => {
  await files.put('form/a.txt', 'text', 'text/x-note');
  await openFolder('form/');
  await row(page, 'a.txt').getByRole('link').click();
  const open = page.getByRole('button', { name: 'Edit properties' });
  await open.click();
  const form = dialog(page, 'Edit properties');
  await form.getByRole('button', { name: 'Add metadata' }).click();
  const metadata = form.getByRole('group', { name: 'Custom metadata' });
  await metadata.getByRole('textbox', { name: 'Name 1' }).fill('Owner');
  await metadata.getByRole('textbox', { name: 'Value 1' }).fill('Jörg 漢');
  await form.getByRole('button', { name: 'Add tag' }).click();
  const tags = form.getByRole('group', { name: 'Tags' });
  await tags.getByRole('textbox', { name: 'Name 1' }).fill('state');
  await tags.getByRole('textbox', { name: 'Value 1' }).fill('neu');
  await expectGoodScreen(page, 'properties', form);
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toHaveCount(0);
  const details = page.getByRole('complementary', { name: 'Details of a.txt' });
  await expect(details.getByText('Jörg 漢')).toBeVisible();
  await expect(details.getByText('text/x-note')).toBeVisible();

  await open.click();
  await expect(tags.getByRole('textbox', { name: 'Value 1' })).toHaveValue('neu');
  await form.getByRole('textbox', { name: 'Content type' }).fill('text/markdown');
  await files.put('form/a.txt', 'theirs', 'text/x-theirs');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByRole('alert')).toContainText('The file has changed in the meantime');
  expect((await files.get('form/a.txt')).headers.get('content-type')).toBe('text/x-theirs');
});

test('the properties are not offered without the permission to write', async ({ files, openFolder, page }) => {
  await files.put('seen/a.txt', 'text', 'text/plain');
  await openFolder('seen/', 'vic');
  await row(page, 'a.txt').getByRole('link').click();
  await expect(page.getByRole('button', { name: 'Open full screen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit properties' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toHaveCount(0);
});
