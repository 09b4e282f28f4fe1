import { createElement, Fragment, type ReactNode } from 'react';
import { formatNumber, piecesOf, type Values } from './words.ts';

/** A message that contains elements: `rich('Ask {whom} for it', { whom: <strong>…</strong> })`. */
export function rich<Message extends string>(message: Message, ...[values]: Values<Message, ReactNode>): ReactNode {
  const given: Readonly<Record<string, ReactNode>> = values ?? {};
  return piecesOf(message).map((piece, index) =>
    createElement(Fragment, { key: index }, index % 2 === 0 ? piece : formatted(given[piece])),
  );
}

function formatted(value: ReactNode): ReactNode {
  return typeof value === 'number' ? formatNumber(value) : value;
}
