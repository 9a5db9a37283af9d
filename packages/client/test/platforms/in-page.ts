import { runFeatures } from './run-features.ts';

/** Lets the test run the features in a page. */
Object.assign(globalThis, { runFeatures });
