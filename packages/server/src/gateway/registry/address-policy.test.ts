import { expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';

const REFUSED = [
  ...['0.0.0.0', '127.0.0.1', '127.255.0.1', '169.254.169.254', '224.0.0.1', '255.255.255.255'],
  ...['100.100.100.200', '192.0.0.192', '::', '::1', 'fe80::1', 'febf::1', 'ff02::1'],
  ...['fd00:ec2::254', 'fd20:ce::254'],
  ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254', '::ffff:0:a9fe:a9fe'],
  ...['::ffff:127.0.0.1', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '2002:7f00:1::1', '::ffff:0:0'],
  ...['', 'web.test', '10.0.0', 'fe80::1%eth0'],
];

const ALLOWED = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '93.184.216.34', '169.253.0.1'],
  ...['fd12::1', '2001:db8::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::1'],
];

test.each(REFUSED)('refuses %s', (address) => {
  expect(createAddressPolicy()(address)).toBe(false);
});

test.each(ALLOWED)('allows %s', (address) => {
  expect(createAddressPolicy()(address)).toBe(true);
});

test('allows the given ranges, and nothing else', () => {
  const allows = createAddressPolicy(['10.0.0.0/8', '127.0.0.1', 'fd12::/16']);
  for (const address of ['10.9.8.7', '127.0.0.1', 'fd12::1', '::ffff:10.0.0.1']) {
    expect([address, allows(address)]).toEqual([address, true]);
  }
  for (const address of ['11.0.0.1', '127.0.0.2', '::1', 'fd13::1', '93.184.216.34']) {
    expect([address, allows(address)]).toEqual([address, false]);
  }
  expect(createAddressPolicy([])('10.0.0.1')).toBe(false);
});

test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'pods', '10.0.0.0/', ''])(
  'refuses the range %j',
  (range) => {
    expect(() => createAddressPolicy([range])).toThrow(TypeError);
  },
);
