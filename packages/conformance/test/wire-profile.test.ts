import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { startReference } from './targets/start-reference.ts';

// The server tests that it passes with its own names: `deployment/wire-profile.test.ts`.
test("a server with another vendor's names fails if checked with the neutral names", async () => {
  const { $schema: _, name: __, ...wireProfile } = acme;
  const reference = await startReference({ wireProfile });
  try {
    const { wireProfile: _, ...options } = reference.options;
    const report = await createConformance({ ...options, only: ['ST-META', 'UP-FORM'] }).run();
    expect(report.exitCode).not.toBe(0);
  } finally {
    await reference.close();
  }
});
