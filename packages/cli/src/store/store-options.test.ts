import { propertyRuns } from '@spillway-internal/test-run'
import { Command } from 'commander'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STORE_OPTIONS } from '../commands/options.ts'
import { redactUrl, storeArguments } from './store-options.ts'

function argumentsOf(...args: string[]): string {
  const command = new Command()
  for (const option of STORE_OPTIONS) command.addOption(option)
  command.parse(args, { from: 'user' })
  return storeArguments(command)
}

test('store options are repeated as given, quoted for a shell', () => {
  expect(argumentsOf()).toBe('')
  expect(argumentsOf('--store', 'file:./a b', '--scope', 'x/y', '--scope', 'z%2F1')).toBe(
    " --store 'file:./a b' --scope x/y/z%2F1",
  )
})

test('store options are repeated without a password', () => {
  expect(argumentsOf('--store', 'redis://:hunter2@host')).toBe('')
})

test.each([
  ['redis://user:secret@host:1/2', 'redis://…'],
  ['redis://:se/cr/et@host/1', 'redis://…'],
  ['redis://user@host', 'redis://…'],
  ['redis://user:secret', 'redis://…'],
  ['REDISS://u:secret@host', 'REDISS://…'],
  ['redis+cluster://u:secret@a:1,b:2', 'redis+cluster://…'],
  ['redis:user:secret@host', 'redis:…'],
  ['redis:/user:secret@host', 'redis:…'],
  ['redis//user:secret@host', '…'],
  [' redis://user:secret@host', '…'],
  ['://user:secret@host', '…'],
  ['redis://user%3Asecret%40host', 'redis://…'],
  ['redis://host?password=secret&db=1', 'redis://…'],
  ['redis://host?pasword=secret', 'redis://…'],
  ['redis://host#secret', 'redis://…'],
  ['s3://KEY:se/cret@bucket/prefix', 's3://…'],
  ['s3://KEY/se:cret@bucket', 's3://…'],
  ['s3://bucket?endpoint=https://u:secret@host', 's3://…'],
  ['s3://bucket?endpoint=https%3A%2F%2Fu%3Asecret%40host', 's3://…'],
  ['file://user:secret@host/x', 'file://…'],
  ['sqlite:sec/ret@host', 'sqlite:…'],
  ['file:user:secret@host/x', 'file:…'],
  ['sqlite:/user:secret@host', 'sqlite:…'],
  ['gopher://user:secret@host', 'gopher://…'],
])('the store %s is shown without text that may be a password', (url, shown) => {
  expect(redactUrl(url)).toBe(shown)
})

test.each([
  'file:./a@b',
  'file:./a:b/c@d',
  'file:///home/me/a@b',
  'file:C:\\me@home\\x',
  'sqlite:./a@b.db',
  'memory:',
  'redis://host:1/2',
  'redis+cluster://a:1,b:2',
  'redis://host?prefix=mine',
  'postgres://host:1/database?schema=mine&sslmode=require',
  's3://bucket/me@example.com?region=eu-west-1',
  's3://bucket?endpoint=http://127.0.0.1:9000&path-style=true',
  's3://bucket?endpoint=http%3A%2F%2F127.0.0.1%3A9000',
  '',
  './dir',
])('the store %s is shown unchanged', (url) => {
  expect(redactUrl(url)).toBe(url)
})

test('a mistyped store URL is shown without its password', () => {
  const scheme = fc.constantFrom(
    'redis',
    'rediss',
    'redis+cluster',
    's3',
    'file',
    'sqlite',
    'https',
    'postgres',
    'rds',
    '',
  )
  const slashes = fc.constantFrom('://', ':/', ':', '//', ':///', ':\\\\', ' ://', '/')
  const special = fc.constantFrom('@', '/', '?', '#', '%', ':', ' ', '%40', '&', ',', '')
  const user = fc.constantFrom('', 'user', 'us er', 'user@example.com', 'u%40')
  const rest = fc.constantFrom('host', 'host:6379/0', 'a:1,b:2', 'bucket/prefix', 'host?db=1', '', '/x.db', 'host:port')
  fc.assert(
    fc.property(scheme, slashes, user, special, rest, (name, between, who, sign, place) => {
      const password = `hunter${sign}2secret`
      for (const url of [
        `${name}${between}${who}:${password}@${place}`,
        `${name}${between}${place}?password=${password}`,
      ])
        for (const part of ['hunter', '2secret']) expect(redactUrl(url)).not.toContain(part)
    }),
    propertyRuns(2_000, 20_000),
  )
})
