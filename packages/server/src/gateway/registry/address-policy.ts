import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Addresses that no service on a network has, and that would turn a DNS record into an attack: this machine
 * (its admin port), link-local addresses (cloud metadata and credentials), multicast.
 */
const REFUSED = [
  '0.0.0.0/8', // RFC 1122 §3.2.1.3: "this host", which connects to the loopback
  '127.0.0.0/8', // RFC 1122 §3.2.1.3
  '169.254.0.0/16', // RFC 3927, metadata of AWS, Azure, Google and others
  '100.100.100.200/32', // metadata of Alibaba
  '192.0.0.192/32', // metadata of Oracle
  '224.0.0.0/3', // RFC 1112: multicast, reserved and broadcast
  '::/127', // RFC 4291: unspecified and loopback
  'fe80::/10', // RFC 4291
  'ff00::/8', // RFC 4291
  'fd00:ec2::254/128', // metadata of AWS
  'fd20:ce::254/128', // metadata of Google
] as const;

const hex = (high = '0', low = '0') => {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
};

/** IPv6 forms of IPv4 addresses, as the URL parser writes them. */
const EMBEDDED = [
  /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, // RFC 4291 §2.5.5: compatible and mapped
  /^::ffff:0:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, // RFC 2765: translated
  /^64:ff9b::([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, // RFC 6052: NAT64
  /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4})(?::|$)/, // RFC 3056: 6to4
];

/**
 * Creates a function that checks the addresses that DNS returns. Without this check, anyone who can change a
 * service's DNS record could make the gateway call its own machine or its cloud's metadata service.
 * @param allow the only address ranges that may be called, even those that are blocked by default
 * @throws TypeError for an invalid range
 */
export function createAddressPolicy(allow?: readonly string[]): (address: string) => boolean {
  const list = toBlockList(allow ?? REFUSED);
  const matches = (address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return (address) => {
    const judged = isIPv4(address) ? address : (embeddedIPv4(address) ?? address);
    return isIP(judged) !== 0 && matches(judged) === (allow !== undefined);
  };
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const family = isIP(address);
    const length = Number(bits ?? (family === 4 ? 32 : 128));
    if (family === 0 || length > (family === 4 ? 32 : 128)) {
      throw new TypeError(`${range} is not an address range: write it as 10.0.0.0/8 or fd00::/8.`);
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function embeddedIPv4(address: string): string | undefined {
  const canonical = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? '';
  for (const form of EMBEDDED) {
    const found = form.exec(canonical);
    if (found !== null) return hex(found[1], found[2]);
  }
  return undefined;
}
