import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { BrandMark } from '../brand/brand.tsx';
import { ServiceBanner } from '../brand/service-banner.tsx';
import { ui } from '../brand/ui.ts';
import { usePageTitle } from '../brand/page-title.ts';
import { chooseLanguage, language, languages } from '../words/language.ts';
import { t } from '../words/words.ts';
import classes from './lone-page.module.css';

const otherLanguages = languages.filter(([other]) => other !== language);

/** A page without the shell and without account data, such as the sign-in page. */
export function LonePage({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder radius="lg" p="xl">
        <Stack gap="md">
          <BrandMark size={40} />
          <Title order={1}>{title}</Title>
          {children}
          <ServiceBanner />
        </Stack>
      </Paper>
      <Text size="xs" c="dimmed">
        {ui.name === 'svc' ? `svc · ${t('a browser for object storage')}` : ui.name}
        {otherLanguages.map(([other, name]) => (
          <Fragment key={other}>
            {' · '}
            <Anchor component="button" size="xs" lang={other} onClick={() => chooseLanguage(other)}>
              {name}
            </Anchor>
          </Fragment>
        ))}
      </Text>
    </main>
  );
}
