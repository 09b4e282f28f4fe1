import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInPeople, type People } from '../support/audit-cases.ts';

const place = (prefix: string, bucket = 'files', provider = 'main') => ({ provider, bucket, prefix });
const body = (value: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
const NOTHING = { favourites: [], recent: [] };

let app: TestApp;
let people: People;
beforeAll(async () => {
  app = await startApp();
  people = await signInPeople(app);
});
afterAll(() => app.close());

describe('/api/places', () => {
  it('shows a person on each device what they marked, without what they may not list', async () => {
    const marked = await people.http(
      'dan',
      'POST',
      '/api/places',
      body({ mark: 'favourite', places: [place('secret/'), place('open/'), place('', 'files', 'gone')] }),
    );
    expect([marked.status, marked.json()]).toEqual([200, { favourites: [place('open/')], recent: [] }]);
    await people.rpc('dan').call('place/mark', { mark: 'opened', places: [place('secret/x/'), place('')] });
    const seen = { favourites: [place('open/')], recent: [place('')] };
    expect((await people.http('dan', 'GET', '/api/places')).json()).toEqual(seen);
    expect(await people.rpc('dan').call('place/list', {})).toEqual(seen);
    expect(await people.rpc('ada').call('place/list', {})).toEqual(NOTHING);
  });

  it('tells a session that places are kept, and refuses an API key', async () => {
    expect((await people.rpc('dan').call('initialize', {})).capabilities.places).toBe(true);
    expect((await people.rpc('key').call('initialize', {})).capabilities.places).toBe(false);
    expect(await people.rpc('key').fails('place/list', {})).toMatchObject({
      data: { code: 'interactive_session_required' },
    });
  });
});

it('without a state database the browser keeps places, and the service says so', async () => {
  const bare = await startApp({
    config: ({ state: _state, s3: _s3, auth, ...config }) => ({
      ...config,
      auth: Object.fromEntries(Object.entries(auth as object).filter(([name]) => name !== 'api_keys')),
    }),
  });
  const cookie = `svc_session=${(await bare.signIn('ada')).cookie(bare.origin, 'svc_session')}`;
  const answer = await fetch(`${bare.origin}/api/places`, { headers: { cookie } });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([501, 'not_supported']);
  expect(bare.logged()).not.toMatch(/"level":"error"/);
  await bare.close();
});
