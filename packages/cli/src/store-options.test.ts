import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addStoreOptions, storeArguments } from './store-options.ts'

function argumentsOf(...args: string[]): string {
  const command = addStoreOptions(new Command())
  command.parse(args, { from: 'user' })
  return storeArguments(command)
}

test('repeats what was given, quoted for a shell', () => {
  expect(argumentsOf()).toBe('')
  expect(argumentsOf('--store', 'file:./a b', '--scope', 'x/y', '--scope', 'z%2F1')).toBe(
    " --store 'file:./a b' --scope x/y/z%2F1",
  )
})

test('never repeats a password', () => {
  expect(argumentsOf('--store', 'redis://:hunter2@host')).toBe('')
})
