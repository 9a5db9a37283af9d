import { expect, test } from 'vitest';
import { toManifest } from './init-project.ts';

test.each([
  ['/tmp/my-server', 'my-server'],
  ['/tmp/My Server!', 'my-server'],
  ['/tmp/_x', 'x'],
  ['/tmp/中文', 'berth-server'],
])('the project in %s is named %s', (folder, name) => {
  expect(toManifest(folder, '1.2.3')).toMatchObject({
    name,
    dependencies: { '@berth/server-stubs': '^1.2.3' },
  });
});
