import { describe, expect, it } from 'vitest'
import { resolveRedact, RedactionError, type RedactOptions } from './redact-text.ts'

const redact = (text: string, options: RedactOptions = {}): string => resolveRedact(options)!(text)

describe('the rules for secrets', () => {
  it.each([
    ['a key of GitHub', `x ghp_${'a1B2'.repeat(9)}.`, 'x [redacted:secret].'],
    ['a key of AWS', 'id AKIAIOSFODNN7EXAMPLE', 'id [redacted:secret]'],
    ['a key of a model', `sk-ant-api03-${'xY9_'.repeat(8)}`, '[redacted:secret]'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP_mB', '[redacted:secret]'],
    ['a header', 'Authorization: Bearer abcdef0123456789abcdef', 'Authorization: Bearer [redacted:secret]'],
    ['a URL', 'postgres://app:hunter2@db.local/x', 'postgres://app:[redacted:secret]@db.local/x'],
    ['a variable', 'export DB_PASSWORD=correcthorse', 'export DB_PASSWORD=[redacted:secret]'],
    ['a password of digits', 'password=12345678', 'password=[redacted:secret]'],
    ['a value in quotes', 'secretKey: "correct horse"', 'secretKey: "[redacted:secret]"'],
    ['escaped JSON', '{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted:secret]\\"}'],
    [
      'a private key',
      '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nafter',
      '[redacted:secret]\nafter',
    ],
  ])('redact %s, and nothing more when they run again', (_name, text, expected) => {
    expect(redact(text)).toBe(expected)
    expect(redact(expected)).toBe(expected)
  })

  it.each([
    'max_tokens: 2500',
    '{"tokens":{"original":80000}}',
    'const token = readToken(input)',
    'the password: choose a good one',
    'secret: string',
    'tokenizer: cl100k_base',
    'sk-learn and https://example.org:8080/x',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'me@example.org paid with 4111 1111 1111 1111',
  ])('leave %s unchanged', (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe('the rules for personal data', () => {
  it('are applied only if they are named', () => {
    const text = 'me@example.org paid with 4111 1111 1111 1111 or 4111 1111 1111 1112 from DE89 3704 0044 0532 0130 00'
    expect(redact(text, { rules: ['emails', 'cards', 'ibans'] })).toBe(
      '[redacted:email] paid with [redacted:card] or 4111 1111 1111 1112 from [redacted:iban]',
    )
  })
})

describe('resolveRedact', () => {
  it('runs a function after the rules for secrets', () => {
    const both = resolveRedact((text) => text.replace('ann', 'someone'))
    expect(both?.('ann: password=hunter2')).toBe('someone: password=[redacted:secret]')
  })

  it('accepts its own result', () => {
    const resolved = resolveRedact({ where: 'stored' })
    expect(resolveRedact(resolved)).toBe(resolved)
  })

  it.each([[() => undefined], [async (value: string) => value], [() => JSON.parse('{') as string]])(
    'throws its own error if a rule fails',
    (rule) => {
      expect(() => redact('a', { rules: [rule as never] })).toThrow(RedactionError)
    },
  )

  it.each([
    [{ rules: ['everything'] }, 'redact.rules has "everything"'],
    [{ rules: 'secrets' }, 'redact.rules must be an array'],
    [{ where: 'inline' }, "redact.where must be 'all' or 'stored'"],
    [{ onError: 'throw' }, "redact.onError must be 'withhold' or 'keep'"],
    [{ kinds: [] }, 'Unknown option redact.kinds'],
    ['secrets', 'redact must be a function or'],
    [['secrets'], 'redact must be a function or { rules, where, onError }, such as'],
  ])('refuses %j', (options, message) => {
    expect(() => resolveRedact(options as RedactOptions)).toThrow(message)
  })
})
