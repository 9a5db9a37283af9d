import defaults from '@berth/spec/defaults.json' with { type: 'json' };

/** Constants and limits of the contract that authentication obeys. */
export const { signature, limits } = defaults;
