export * from './web.ts';

export const sendsIfRange = true;
