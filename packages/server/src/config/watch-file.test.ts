import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFile } from './watch-file.ts';

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Collects the values that it is called with, and lets a test wait for the next. */
function createInbox<Value>() {
  const values: Value[] = [];
  let wake = () => {};
  return {
    put(value: Value) {
      values.push(value);
      wake();
    },
    async next(): Promise<Value> {
      while (values.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return values.shift() as Value;
    },
    values,
  };
}

async function setUp(paths: readonly string[], onChange: () => unknown = () => {}) {
  const changes = createInbox<unknown>();
  const errors = createInbox<Error>();
  const watch = await watchFile(
    paths,
    async () => {
      try {
        await onChange();
      } finally {
        changes.put('change');
      }
    },
    { onError: errors.put, intervalMs: 5 },
  );
  onTestFinished(() => watch.close());
  return { changes, errors, watch };
}

/** Resolves when every file has been checked again, by watching another file at the same interval. */
async function looksPassed(folder: string, times: number) {
  const path = join(folder, 'beat');
  await writeFile(path, '');
  const { changes } = await setUp([path]);
  for (let i = 1; i <= times; i++) {
    await writeFile(path, 'x'.repeat(i));
    await changes.next();
  }
}

test('notices that Kubernetes swaps a ConfigMap', async () => {
  const folder = await makeFolder();
  const publish = async (version: string) => {
    await mkdir(join(folder, `..${version}`));
    await writeFile(join(folder, `..${version}`, 'config.yaml'), version);
    await symlink(`..${version}`, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await publish('v1');
  const path = join(folder, 'config.yaml');
  await symlink('..data/config.yaml', path);
  const { changes, errors } = await setUp([path]);
  await publish('v2');
  await changes.next();
  await rm(join(folder, '..v1'), { recursive: true });
  await publish('v3');
  await changes.next();
  expect(errors.values).toEqual([]);
});

test('reports that a file is gone, and notices its return', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'etc', 'config.yaml');
  await mkdir(join(folder, 'etc'));
  await writeFile(path, 'a: 1');
  const { changes, errors } = await setUp([path]);
  await rm(join(folder, 'etc'), { recursive: true });
  expect(await errors.next()).toMatchObject({ code: 'ENOENT' });
  await looksPassed(folder, 2);
  expect([changes.values, errors.values]).toEqual([[], []]);

  await mkdir(join(folder, 'etc'));
  await writeFile(path, 'a: 2');
  await changes.next();
});

test('treats changes of several files as one', async () => {
  const folder = await makeFolder();
  const paths = ['a', 'b', 'c'].map((name) => join(folder, name));
  await Promise.all(paths.map((path) => writeFile(path, '1')));
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun = createInbox<unknown>();
  const { changes } = await setUp(paths, () => {
    begun.put('begun');
    return gate;
  });
  await writeFile(paths[0] as string, '22');
  await begun.next();
  // The first change is still being handled, so these are noticed together.
  for (const path of paths) await writeFile(path, '333');
  open();
  await changes.next();
  await changes.next();
  await looksPassed(folder, 3);
  expect(changes.values).toEqual([]);
});

test('reports what the handler throws, and continues', async () => {
  const path = join(await makeFolder(), 'config.yaml');
  await writeFile(path, '1');
  const { changes, errors } = await setUp([path], () => {
    throw new TypeError('bad config');
  });
  await writeFile(path, '22');
  expect(await errors.next()).toMatchObject({ message: 'bad config' });
  await writeFile(path, '333');
  expect(await errors.next()).toMatchObject({ message: 'bad config' });
  expect(changes.values).toHaveLength(2);
});

test('calls nothing after it is closed', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'config.yaml');
  await writeFile(path, '1');
  const { changes, errors, watch } = await setUp([path]);
  await watch.close();
  await writeFile(path, '22');
  await rm(path);
  await looksPassed(folder, 3);
  expect([changes.values, errors.values]).toEqual([[], []]);
});
