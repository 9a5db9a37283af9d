import type { Trial } from '../../trial/trial.ts';
import { toCopyItems } from '../support/copies.ts';

/** Expects that a copy call with an item that lacks a field is refused, wherever the item stands. */
export async function expectRefusedWithout(t: Trial, field: 'srcPath' | 'dstPath'): Promise<void> {
  const { path } = await t.upload.store('source.txt');
  const toItem = (name: string) => toCopyItems(t, [{ from: path, to: t.storage.path(name) }])[0];
  const sound = await t.storage.call('batchCopyFile', { fileList: [toItem('sound.txt')] });
  t.reach(!sound.refused, 'a copy call with both paths is refused');
  const bad = { ...toItem('never.txt'), [field]: undefined };
  const cases = [
    { what: `an item without ${field}`, fileList: [bad] },
    { what: `an item without ${field} but with options`, fileList: [{ ...bad, overwrite: true }] },
    { what: `a good item and then one without ${field}`, fileList: [toItem('a.txt'), bad] },
    { what: `an item without ${field} and then a good one`, fileList: [bad, toItem('b.txt')] },
  ];
  for (const { what, fileList } of cases) {
    const reply = await t.storage.call('batchCopyFile', { fileList }, { acceptsRefusal: true });
    const { status } = reply.received;
    const isRefused = reply.refused && status < 500;
    t.expect(isRefused, `${what}: the call must be refused, not answered with ${status}`, reply);
  }
}
