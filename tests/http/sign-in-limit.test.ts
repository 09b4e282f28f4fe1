import { afterEach, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { codeOf } from '../../src/errors/svc-error.ts';
import { AddressCounts, MAX_ADDRESSES } from '../../src/http/routing/address-counts.ts';
import { FaultLimit } from '../../src/http/routing/fault-limit.ts';
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

it('counts a bounded number of addresses, and forgets the one that has been silent the longest', () => {
  const faults = new FaultLimit(1);
  const counts = new AddressCounts();
  const isRefused = (address: string): boolean => {
    const { totalHits } = counts.increment(address);
    try {
      faults.count(address);
      return false;
    } catch (error) {
      expect([codeOf(error), totalHits > 1]).toEqual(['rate_limited', true]);
      return true;
    }
  };
  const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  expect([isRefused('203.0.113.9'), isRefused('203.0.113.9')]).toEqual([false, true]);
  for (let n = 0; n < MAX_ADDRESSES - 1; n += 1) expect(isRefused(addressOf(n))).toBe(false);
  expect(isRefused('203.0.113.9')).toBe(true);
  for (let n = 0; n < MAX_ADDRESSES; n += 1) isRefused(addressOf(MAX_ADDRESSES + n));
  expect([isRefused('203.0.113.9'), counts.get(addressOf(0))]).toEqual([false, undefined]);
});
