import type { Deployment } from '../platform-case.ts';
import type { PlatformId } from '../platforms.ts';
import { runSuite } from '../run-suite.ts';
import type { Told } from '../runners/serve-page.ts';
import { SUITE } from '../suite.ts';
import { SANDBOX_TOOLS } from './sandbox-tools.ts';

const tell = (told: Told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) });

// Runs the suite in a page as soon as it is opened.
addEventListener('error', ({ message }) => tell({ fault: message }));
addEventListener('unhandledrejection', ({ reason }) => tell({ fault: String(reason) }));
const given: { platform: PlatformId; deployment: Deployment } = await (
  await fetch('/given')
).json();
await runSuite(SUITE, given.platform, given.deployment, SANDBOX_TOOLS, (result) =>
  tell({ result }),
);
await tell({ end: true });
