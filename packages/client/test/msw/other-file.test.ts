import { afterEach, expect, it, vi } from 'vitest';
import { berth, storage } from './set-up.ts';

afterEach(() => vi.unstubAllGlobals());

// jsdom puts its own `File` in the place of that of Node, which then cannot read forms.
it('takes uploads where File is not that of the platform', async () => {
  vi.stubGlobal('File', class File {});
  await storage.upload('a.html', new Blob(['\r\n<p>\r\n'], { type: 'text/html' }));
  expect(berth.files.get('a.html')).toMatchObject({ contentType: 'text/html' });
  expect(berth.files.get('a.html')?.text()).toBe('\r\n<p>\r\n');
});
