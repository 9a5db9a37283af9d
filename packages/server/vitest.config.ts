import shared from '../../vitest.shared.ts';

const { include, ...test } = shared.test;
const CEPH = 'test/ceph/**/*.test.ts';
/** Files that need a process of their own, because they replace a module. All others load each module once. */
const ALONE = ['test/blobs/file-durability.test.ts'];
/** Without `module`: at the SDK of AWS it leads to files for bundlers, which Node cannot load. */
const conditions = shared.resolve.conditions.filter((condition) => condition !== 'module');

/** Tests on Ceph are a project of their own: it is started where one of them is run, and only there. */
export default {
  ...shared,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...test,
    // Half of the time is spent waiting: for time limits, for disks and for Ceph.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include,
          exclude: ['**/node_modules/**', CEPH, ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'ceph',
          include: [CEPH],
          globalSetup: 'test/ceph/support/global-setup.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
};
