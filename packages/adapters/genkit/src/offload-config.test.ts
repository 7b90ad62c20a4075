import { expect, it } from 'vitest'
import { assertConfig, type OffloadConfig } from './offload-config.ts'

it.each<OffloadConfig | undefined>([
  undefined,
  {},
  { scope: undefined },
  { scope: [] },
  { scope: ['user-1', 'chat-1'] },
])('the config may be %j', (config) => {
  expect(() => assertConfig(config)).not.toThrow()
})

it.each<[config: unknown, message: RegExp]>([
  [{ scope: 'chat-1' }, /^Expected array, received string scope\. Write offload\(\{ scope: \[/],
  [{ scope: ['chat-1', 2] }, /^Expected string, received number scope\.1\./],
  [{ skope: ['chat-1'] }, /^Unrecognized key\(s\) in object: 'skope'/],
  [['chat-1'], /^Expected object, received array/],
  [null, /^Expected object, received null/],
])('the config cannot be %j', (config, message) => {
  expect(() => assertConfig(config as OffloadConfig)).toThrow(TypeError)
  expect(() => assertConfig(config as OffloadConfig)).toThrow(message)
})
