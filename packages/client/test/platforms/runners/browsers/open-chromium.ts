import { findBrowser } from '@berth/runtimes/browser';
import { chromium } from 'playwright-core';
import type { OpenPage } from './open-page.ts';

/** Opens Chromium, either installed or from npm. It trusts the certificate by its key's pin. */
export const openChromium: OpenPage = async (url, { profile, trusted, onGone }) => {
  const context = await chromium.launchPersistentContext(profile, {
    ...(await findBrowser()),
    args: [`--ignore-certificate-errors-spki-list=${trusted.pin}`],
  });
  context.on('close', () => onGone(new Error('Chromium is gone.')));
  await (await context.newPage()).goto(url);
  return () => context.close();
};
