import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { ownMessages, useMessages } from '../../src/http/own-messages.ts';

it('an application with classes of its own changes no prototype of a request or an answer, and has the methods of Express', async () => {
  const messages = ownMessages();
  const app = express();
  useMessages(app, messages);
  const prototypes = (req: IncomingMessage, res: ServerResponse): unknown => [
    Object.getPrototypeOf(req),
    Object.getPrototypeOf(res),
  ];
  let [before, within]: unknown[] = [];
  app.get('/place', (req, res) => {
    within = prototypes(req, res);
    res.json({ path: req.path, isOfApp: req.app === app });
  });
  const server = createServer(messages, (req, res) => {
    before = prototypes(req, res);
    app(req, res);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/place`);
  expect(await answer.json()).toEqual({ path: '/place', isOfApp: true });
  expect(before).toEqual([messages.IncomingMessage.prototype, messages.ServerResponse.prototype]);
  expect(within).toEqual(before);
  await new Promise((resolve) => void server.close(resolve));
});
