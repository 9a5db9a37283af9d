import type { Patch } from './replicas.ts';

/** A race of the server that was fixed, and what the server was without the fix. */
interface Defect {
  readonly name: string;
  /** What clients of such a server can see. */
  readonly history: string;
  readonly patches: readonly Patch[];
}

const LOCKS = 'blobs/file/lock-files.ts';
const COPY = 'blobs/file/copy-file.ts';
const WRITE = 'blobs/file/write-file.ts';
const STORE = 'blobs/file/create-file-blob-store.ts';

export const DISK_DEFECTS: readonly Defect[] = [
  {
    name: 'Locks exclude only operations of the same process',
    history: `
      2032..2050 upload a 1.1
      2056..2084 delete folder/c ok
      2087..2135 upload folder/c 3.3
      2091..2150 move-new a folder/c ok
      2860..2861 read folder/c 1.1`,
    patches: [{ file: LOCKS, find: 'await take(lock);', replace: '' }],
  },
  {
    name: 'An upload takes no lock',
    history: `
      15816..15865 delete folder/c ok
      15866..15868 upload a 2.3
      15867..15900 upload folder/c 6.3
      15869..15920 move-new a folder/c ok
      17422..17423 read folder/c 2.3`,
    patches: [
      {
        file: WRITE,
        find: 'withFileLocks(layout, [file], () => rename(tmp, file))',
        replace: 'rename(tmp, file)',
      },
    ],
  },
  {
    name: 'A copy takes no lock',
    history: `
      57949..57960 upload folder/c 4.0
      57980..58094 move folder/c b ok
      58052..58090 copy folder/c b ok
      58095..58134 delete folder/c ok`,
    patches: [
      {
        file: COPY,
        find: 'withFileLocks(layout, [destination], () => name(tmp, destination))',
        replace: 'name(tmp, destination)',
      },
    ],
  },
  {
    name: 'A move locks only its source',
    history: `
      66782..66830 upload b 7.0
      66847..66858 copy b folder/c ok
      66897..66959 move b folder/c ok
      67827..67828 find b ok`,
    patches: [
      {
        file: COPY,
        find: 'withFileLocks(layout, [source, destination], async',
        replace: 'withFileLocks(layout, [source], async',
      },
    ],
  },
  {
    name: 'A copy that must not replace a file checks first, and then renames',
    history: `
      72574..72630 upload b 7.0
      72637..72692 copy-new b folder/c ok
      72649..72685 copy-new b folder/c ok`,
    patches: [
      {
        file: COPY,
        find: 'const name = overwrite ? rename : link;',
        replace:
          'if (!overwrite && (await statFile(destination))) throw new BlobExistsError(to);\nconst name = rename;',
      },
    ],
  },
  {
    name: 'A move copies, and then deletes any version',
    history: `
      76278..76325 upload b 4.0
      76331..76357 move b folder/c ok
      76338..76350 upload b 4.3
      76360..76361 read b missing
      76362..76363 read folder/c 4.0`,
    patches: [
      {
        file: COPY,
        find: 'else await rename(source, destination);',
        replace:
          'else {\nconst tmp = layout.newTmpFile();\nawait link(source, tmp);\nawait rename(tmp, destination);\nawait unlink(source);\n}',
      },
      {
        file: COPY,
        find: 'withFileLocks(layout, [source, destination], async',
        replace: 'withFileLocks(layout, [destination], async',
      },
    ],
  },
  {
    name: 'A move between two names of one file leaves its source',
    history: `
      86246..86308 upload a 3.3
      86310..86339 copy a b ok
      86443..86489 move b a ok
      88307..88308 find b ok`,
    patches: [
      {
        file: COPY,
        find: 'if (moved !== undefined && moved === replaced) await unlink(source);\n      else await',
        replace: 'await',
      },
    ],
  },
  {
    name: 'An upload removes the old file before it places the new one',
    history: `
      88966..89001 upload folder/c 5.0
      89004..89039 move-new folder/c a ok
      89005..? upload a 6.1
      89056..89062 find a missing`,
    patches: [
      {
        file: WRITE,
        find: '() => rename(tmp, file)',
        replace: '() => rm(file, { force: true }).then(() => rename(tmp, file))',
      },
    ],
  },
  {
    name: 'An upload is acknowledged before it is visible',
    history: `
      91587..91642 upload folder/c 0.0
      91670..91712 delete folder/c missing`,
    patches: [
      {
        file: WRITE,
        find: 'await placeIn(layout.files, dirname(file), place, isLost);',
        replace: 'placeIn(layout.files, dirname(file), place, isLost).catch(() => {});',
      },
    ],
  },
  {
    name: 'A deletion checks first, and succeeds even if another one was faster',
    history: `
      94470..94475 upload b 0.1
      94476..94530 delete b ok
      94480..94533 delete b ok`,
    patches: [
      {
        file: STORE,
        find: 'await unlink(file);',
        replace: 'await statFile(file) && (await unlink(file).catch(() => {}));',
      },
    ],
  },
  {
    name: 'A copy does not find a file that is replaced in the meantime',
    history: `
      51034..51062 upload folder/c 5.1
      51066..? upload folder/c 5.2
      51099..51107 copy-new folder/c a missing`,
    patches: [
      {
        file: COPY,
        find: 'if (info !== undefined || (await identify(source)) === undefined) return info;',
        replace: 'return info;',
      },
    ],
  },
];

const BUCKET = 'blobs/s3/bucket.ts';
const COPY_BLOB = 'blobs/s3/copy-blob.ts';
const WRITE_OBJECT = 'blobs/s3/write-object.ts';
const S3_STORE = 'blobs/s3/create-s3-blob-store.ts';

export const S3_DEFECTS: readonly Defect[] = [
  {
    name: 'Locks exclude only operations of the same process',
    history: `
      0..1 upload a 1.0
      2..9 delete a ok
      3..8 delete a ok`,
    patches: [
      {
        file: BUCKET,
        find: 'isShared ? withSharedLocks(names, work) : work()',
        replace: 'work()',
      },
    ],
  },
  {
    name: 'An upload takes no lock',
    history: `
      0..1 upload a 1.0
      2..9 move a b ok
      3..4 upload a 2.0
      10..11 read a missing
      12..13 read b 1.0`,
    patches: [
      {
        file: WRITE_OBJECT,
        find: 'const locks = isExact(bucket.conditions) ? [] : [target];',
        replace: 'const locks: string[] = [];',
      },
    ],
  },
  {
    name: 'A deletion takes no lock',
    history: `
      0..1 upload a 1.0
      2..9 delete a ok
      3..8 delete a ok`,
    patches: [
      {
        file: S3_STORE,
        find: 'withObjectLocks(bucket, [object], async',
        replace: 'withObjectLocks(bucket, [], async',
      },
    ],
  },
  {
    name: 'A move does not lock its source',
    history: `
      0..1 upload a 1.0
      2..9 move a b ok
      3..8 move a folder/c ok`,
    patches: [
      {
        file: COPY_BLOB,
        find: 'if (move) return [source, destination];',
        replace: 'if (move) return [destination];',
      },
    ],
  },
  {
    name: 'A move deletes any version',
    history: `
      0..1 upload a 1.0
      2..9 move a b ok
      3..4 upload a 2.0
      10..11 read a missing
      12..13 read b 1.0`,
    patches: [
      {
        file: COPY_BLOB,
        find: 'if (move) return [source, destination];',
        replace: 'if (move) return [destination];',
      },
      {
        file: COPY_BLOB,
        find: 'if (toVersion(head) !== version) return true;',
        replace: '',
      },
    ],
  },
  {
    name: 'A copy that must not replace a file checks first, and then writes',
    history: `
      0..1 upload a 1.0
      2..9 copy-new a b ok
      3..8 copy-new a b ok`,
    patches: [
      {
        file: COPY_BLOB,
        find: "IfNoneMatch: '*',\n      ...toObjectHeaders(info)",
        replace: '...toObjectHeaders(info)',
      },
    ],
  },
];
