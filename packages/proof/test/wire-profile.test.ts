import { createConformance } from '@berth/conformance';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { startReference } from '../src/start-reference.ts';

test('the reference server passes with the names of another vendor', async () => {
  const { $schema: _, name: __, ...wireProfile } = acme;
  const reference = await startReference({ wireProfile });
  try {
    const report = await createConformance(reference.options).run();
    const others = report.results.filter(({ outcome }) => outcome !== 'pass');
    expect(others.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.leftovers).toEqual([]);
  } finally {
    await reference.close();
  }
});

test('with the names of the contract it does not: the names are what is checked', async () => {
  const { $schema: _, name: __, ...wireProfile } = acme;
  const reference = await startReference({ wireProfile });
  try {
    const { wireProfile: _, ...options } = reference.options;
    const report = await createConformance({ ...options, only: ['ST-', 'UP-', 'GW-ERROR'] }).run();
    expect(report.exitCode).not.toBe(0);
  } finally {
    await reference.close();
  }
});
