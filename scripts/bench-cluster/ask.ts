export type Answer = { readonly status: number; readonly result: Record<string, unknown> | undefined };

/** Calls an RPC method. The status is 0 where no answer came. */
export async function ask(origin: string, credential: string, method: string, params: object): Promise<Answer> {
  try {
    const answer = await fetch(`${origin}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result } = answer.ok ? ((await answer.json()) as { result?: Record<string, unknown> }) : {};
    return { status: answer.status, result };
  } catch {
    return { status: 0, result: undefined };
  }
}
