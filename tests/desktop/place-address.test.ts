import { describe, expect, it } from '@jest/globals';
import { placeOf } from '../../src/desktop/place-address.ts';

describe('placeOf', () => {
  it.each([
    ['svc://files.example.com', { server: 'https://files.example.com', path: '' }],
    ['svc://files.example.com/main', { server: 'https://files.example.com', path: 'p/main' }],
    ['svc://files.example.com/main/photos/', { server: 'https://files.example.com', path: 'p/main/photos' }],
    [
      'svc://files.example.com:8443/main/photos/2025/sea/',
      { server: 'https://files.example.com:8443', path: 'p/main/photos?prefix=2025%2Fsea%2F' },
    ],
    [
      'svc://files.example.com/main/photos/2025/sea%20%26%20sky.jpg',
      { server: 'https://files.example.com', path: 'p/main/photos?prefix=2025%2F&object=2025%2Fsea+%26+sky.jpg' },
    ],
    ['svc://127.0.0.1:8080/main/photos', { server: 'http://127.0.0.1:8080', path: 'p/main/photos' }],
    ['svc://127.0.0.1.evil.example/main', { server: 'https://127.0.0.1.evil.example', path: 'p/main' }],
  ])('reads %s', (address, place) => {
    expect(placeOf(address)).toEqual(place);
  });

  it.each(['svc:main/photos', 'https://files.example.com', 'svc://', 'svc://ada:secret@files.example.com/main'])(
    'refuses %s',
    (address) => {
      expect(() => placeOf(address)).toThrow();
    },
  );
});
