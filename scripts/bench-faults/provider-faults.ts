import { HostileProvider, reset, silent, type Misbehaviour } from '../../tests/support/hostile-provider.ts';
import { Visitor } from '../../tests/support/visitor.ts';
import { providerAt, startBed, type Bed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { timed } from './timed.ts';

const LIMIT_S = 15.5;
const EACH_SLOW_MS = 7_000;

/** An identity provider that is down, says nothing, resets, or is slow at every step; and what people who are signed in feel of it. */
export async function providerFaults(): Promise<Figure[]> {
  const provider = await HostileProvider.start();
  const away = await HostileProvider.start();
  away.behave({ answers: { discovery: reset } });
  const storage = [providerAt('main', 'http://127.0.0.1:1')];
  provider.behave(withUserInfo({}));
  const [bed, cold] = await Promise.all([
    startBed({ providers: storage, hostile: provider }),
    startBed({ providers: storage, hostile: away }),
  ]);
  try {
    const headers = await bed.signIn('mallory');
    const figures: Figure[] = [];
    await slowestOf(bed, headers);

    const refused = await timed(() => begin(cold));
    figures.push(
      exactly('the service starts while the provider resets; login', refused.outcome.status, 502),
      atMost('which takes', refused.ms / 1000, LIMIT_S, 's'),
    );
    away.behave({ answers: { discovery: silent } });
    const late = await timed(() => begin(cold));
    figures.push(
      exactly('discovery without an answer; login', late.outcome.status, 504),
      atMost('which takes', late.ms / 1000, LIMIT_S, 's'),
    );
    away.behave();
    figures.push(exactly('the provider is back; login', (await begin(cold)).status, 303));

    const callback = async (name: string, misbehaviour: Misbehaviour, expected: number): Promise<void> => {
      const visitor = new Visitor();
      const url = provider.visit((await begin(bed, visitor)).headers.get('location') ?? '');
      // The keys are asked for again when a token does not fit them.
      await provider.rotate();
      provider.behave(withUserInfo(misbehaviour));
      const done = timed(() => visitor.request(url));
      const working = await slowestOf(bed, headers);
      const { ms, outcome } = await done;
      figures.push(
        exactly(`${name}; callback`, outcome.status, expected),
        atMost('which takes', ms / 1000, LIMIT_S, 's'),
        atMost('people who are signed in wait at most', working, 250, 'ms'),
      );
      provider.behave(withUserInfo({}));
    };
    await callback('the code exchange is reset', { answers: { token: reset } }, 502);
    await callback('the code exchange has no answer', { answers: { token: silent } }, 504);
    await callback(
      'code exchange, keys and userinfo are slow, each by itself in time',
      { delays: { token: EACH_SLOW_MS, jwks: EACH_SLOW_MS, userinfo: EACH_SLOW_MS } },
      504,
    );
    await callback('nothing is wrong', {}, 303);
    return figures;
  } finally {
    await bed.close();
    await cold.close();
    await provider.close();
    await away.close();
  }
}

function begin(bed: Bed, visitor = new Visitor()): Promise<Response> {
  return visitor.request(`${bed.origin}/api/auth/login`);
}

/** Groups come from userinfo, so that there are three requests to be slow. */
function withUserInfo(misbehaviour: Misbehaviour): Misbehaviour {
  return {
    metadata: (right) => ({ ...right, userinfo_endpoint: `${String(right['issuer'])}/userinfo` }),
    claims: ({ groups: _groups, ...right }) => right,
    userinfo: { sub: 'mallory', groups: ['all'] },
    ...misbehaviour,
  };
}

async function slowestOf(bed: Bed, headers: { readonly cookie: string }): Promise<number> {
  let most = 0;
  for (let i = 0; i < 20; i += 1) {
    const { ms, outcome } = await timed(() => fetch(`${bed.origin}/api/providers/main/permissions`, { headers }));
    if (outcome.status !== 200) throw new Error(`a session was answered ${outcome.status}`);
    most = Math.max(most, ms);
  }
  return most;
}
