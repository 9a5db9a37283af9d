import { afterEach, expect, it, vi } from 'vitest';
import { berth, storage } from './set-up.ts';

afterEach(() => vi.unstubAllGlobals());

// jsdom replaces Node's `File` with its own, and Node then cannot read forms.
it("accepts uploads if File is not the platform's", async () => {
  vi.stubGlobal('File', class File {});
  await storage.upload('a.html', new Blob(['\r\n<p>\r\n'], { type: 'text/html' }));
  expect(berth.files.get('a.html')).toMatchObject({ contentType: 'text/html' });
  expect(berth.files.get('a.html')?.text()).toBe('\r\n<p>\r\n');
});

// Node's bytes are not instances of jsdom's `Uint8Array` either.
it.each([
  ['a text', 'Hello'],
  ['bytes', new TextEncoder().encode('Hello')],
  ['a stream', new Blob(['Hello']).stream()],
])("accepts uploads of %s if Uint8Array is not the platform's", async (_, data) => {
  vi.stubGlobal('Uint8Array', class extends Uint8Array {});
  await storage.upload('a.txt', data);
  expect(berth.files.get('a.txt')?.text()).toBe('Hello');
});
