import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Component, useEffect, useEffectEvent, type ReactNode } from 'react';
import { t } from '../words/words.ts';
import { MissingPart, missingPartTitle, ReloadButton, tellFailedPart, tellMissingPart } from './missing-part.tsx';
import { PartMissing } from './part.ts';

type Properties = {
  /** The kind of the content. The failure of a `message` is shown as a notification, because it has no place on the page. */
  readonly what: 'app' | 'page' | 'panel' | 'preview' | 'message';
  /** When this value changes, the content is rendered again after a failure. */
  readonly about?: string | number;
  /** Called after the failure of a `message` was shown. */
  readonly onTold?: (() => void) | undefined;
  readonly children: ReactNode;
};
type State = { readonly failure: { readonly error: unknown } | undefined; readonly about: string | number | undefined };

/** An error boundary: if rendering its content fails, it shows a message in place of it, and the rest of the page stays. */
export class Boundary extends Component<Properties, State> {
  override state: State = { failure: undefined, about: this.props.about };

  static getDerivedStateFromError(error: unknown): Pick<State, 'failure'> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ about }: Properties, state: State): State | null {
    return about === state.about ? null : { about, failure: undefined };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    const { what, onTold, children } = this.props;
    if (failure === undefined) return children;
    const isMissing = failure.error instanceof PartMissing;
    if (what === 'message') return <Told key={String(this.props.about)} isMissing={isMissing} onTold={onTold} />;
    return <Failed what={what} isMissing={isMissing} onRetry={() => this.setState({ failure: undefined })} />;
  }
}

function Told({ isMissing, onTold }: { isMissing: boolean; onTold: (() => void) | undefined }) {
  const tell = useEffectEvent(() => {
    if (isMissing) tellMissingPart();
    else tellFailedPart();
    onTold?.();
  });
  useEffect(() => tell(), []);
  return null;
}

function Failed({
  what,
  isMissing,
  onRetry,
}: {
  what: 'app' | 'page' | 'panel' | 'preview';
  isMissing: boolean;
  onRetry: () => void;
}) {
  const isWhole = what === 'app' || what === 'page';
  return (
    <Stack
      gap="xs"
      p="lg"
      maw={480}
      role="alert"
      {...(isWhole && { m: 'auto', mt: '20vh', align: 'center', ta: 'center' })}
    >
      <Title order={2} fz={what === 'preview' ? 'md' : 'lg'}>
        {isMissing
          ? missingPartTitle()
          : what === 'preview'
            ? t('The preview could not be shown')
            : t('This could not be shown')}
      </Title>
      {isMissing ? (
        <MissingPart />
      ) : (
        <>
          <Text size="sm">{t('Something went wrong here. Try again. If the problem persists, reload the page.')}</Text>
          <Group gap="xs" mt="xs">
            <Button size="xs" variant="default" leftSection={<IconRefresh size={16} />} onClick={onRetry}>
              {t('Try again')}
            </Button>
            <ReloadButton />
          </Group>
        </>
      )}
    </Stack>
  );
}
