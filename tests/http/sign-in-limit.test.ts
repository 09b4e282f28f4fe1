import { afterEach, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { signInLimit } from '../../src/http/routing/sign-in-limit.ts';

afterEach(() => void jest.restoreAllMocks());

it('lets a sign-in through whose counts cannot be reached, and writes nothing past the log', async () => {
  const written = jest.spyOn(console, 'error').mockReturnValue();
  const app = express();
  app.use(signInLimit(1, { add: () => Promise.reject(new Error('the state database gave no answer')) })!);
  app.use((_req, res) => void res.send('through'));
  for (let i = 0; i < 3; i += 1) await request(app).get('/').expect(200, 'through');
  expect(written).not.toHaveBeenCalled();
});
