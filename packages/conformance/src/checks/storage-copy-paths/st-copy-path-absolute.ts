import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, hasBytes, readPath, storeReadable } from '../support/readings.ts';

export const stCopyPathAbsolute = defineCheck(
  'ST-COPY-PATH-ABSOLUTE',
  needsFiles,
  async (t: Trial) => {
    const isAbsolute = t.settings.copyPath === 'absolute';
    if (!isAbsolute) t.note('Copy paths are declared to have no leading /.');
    const [lead, other] = isAbsolute ? ['/', ''] : ['', '/'];
    for (const name of ['file.txt', 'level/deeper/file.txt']) {
      const { path, bytes } = await storeReadable(t, name);
      const copyWith = async (slash: string, to: string) => {
        t.upload.track(to);
        const item = { srcPath: slash + path, dstPath: slash + to };
        const reply = await t.storage.call('batchCopyFile', { fileList: [item] });
        return { reply, reading: await readPath(t, to) };
      };
      const { reply, reading } = await copyWith(lead, `${path}.copy`);
      if (!hasBytes(reading, bytes)) {
        // Where no form works, the fault is not in the form.
        const second = await copyWith(other, `${path}.other`);
        t.reach(hasBytes(second.reading, bytes), 'batchCopyFile copies nothing');
      }
      const what = `${lead}${name} copied to ${lead}${name}.copy: the cloud path ${name}.copy`;
      t.expect(!reply.refused, `${what} must be there, not the call be refused`, reply);
      expectBytes(t, reading, bytes, what);
    }
  },
);
