import { describe, expect, it } from '@jest/globals';
import { SessionGate } from '../../../src/web/work/session-gate.ts';
import { TaskBoard, type TaskHandle } from '../../../src/web/work/task-board.ts';
import { problem } from './memory-service.ts';

const board = (gate = new SessionGate()) => new TaskBoard(gate, 0);
const taskOf = (work: (task: TaskHandle) => Promise<void>) => ({
  title: 'Copying',
  doneTitle: 'Copied',
  unit: 'objects' as const,
  work,
});

describe('TaskBoard', () => {
  it('tries a request again after a failure that may pass', async () => {
    let tries = 0;
    const view = await board().run(
      taskOf(async (task) => {
        await task.attempt(async () => {
          if ((tries += 1) < 3) throw problem('storage_timeout');
        });
      }),
    );
    expect(tries).toBe(3);
    expect(view.state).toBe('done');
  });

  it('waits for the session, and goes on with the same request', async () => {
    const gate = new SessionGate();
    let signedIn = false;
    const running = board(gate).run(
      taskOf(async (task) => {
        await task.attempt(async () => {
          if (!signedIn) throw problem('session_required');
        });
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(gate.isOpen).toBe(false);
    signedIn = true;
    gate.open();
    expect((await running).state).toBe('done');
  });

  it('keeps a result for each key, and counts the failures', async () => {
    const view = await board().run(
      taskOf(async (task) => {
        task.result('a');
        task.result('b', { code: 'access_denied', detail: '' });
      }),
    );
    expect(view.results.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(view.failures).toBe(1);
  });

  it('has another title after all of it succeeded, and only then', async () => {
    const titleAfter = async (failures: readonly boolean[], skipped = 0) => {
      const { title } = await board().run(
        taskOf(async (task) => {
          task.progress(2, 2);
          for (const [key, fails] of failures.entries())
            task.result(String(key), fails ? { code: 'access_denied', detail: '' } : undefined);
          task.skip(skipped);
        }),
      );
      return title;
    };
    expect(await titleAfter([false, false])).toBe('Copied');
    expect(await titleAfter([false, true])).toBe('Copying');
    expect(await titleAfter([false], 1)).toBe('Copying');
  });

  it('ends as cancelled when it is cancelled', async () => {
    const tasks = board();
    const running = tasks.run(
      taskOf(
        (task) => new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(new Error('stopped')))),
      ),
    );
    tasks.cancel(1);
    expect((await running).state).toBe('cancelled');
  });

  it('tells why it failed', async () => {
    const view = await board().run(taskOf(() => Promise.reject(problem('access_denied'))));
    expect(view).toMatchObject({ state: 'failed', failure: { code: 'access_denied' } });
  });
});
