export * from './web.ts';

/** Whether `If-Range` may be sent to a link. */
export const sendsIfRange = true;
