export * from './web.ts';

/** Whether any header may be sent to a link. */
export const sendsIfRange = true;
