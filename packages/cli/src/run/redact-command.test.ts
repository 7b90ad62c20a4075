import { expect, test } from 'vitest'
import { redactCommand } from './redact-command.ts'

test.each([
  ['npm test -- --grep "loads the file"'],
  ['pytest tests/test_server.py::test_reconnects_after_restart'],
  ['cargo build --release --target x86_64-unknown-linux-gnu/with/a/path'],
  ['git log --oneline -20'],
])('redacting a command keeps %s', (line) => {
  expect(redactCommand(line)).toBe(line)
})

test.each([
  ['API_KEY=hunter2 make', 'API_KEY=… make'],
  ['deploy --token hunter2 --verbose', 'deploy --token … --verbose'],
  ['deploy --db-password="hunter2"', 'deploy --db-password="…"'],
  ["curl -H 'Authorization: Bearer hunter2' https://x.test", "curl -H 'Authorization: …' https://x.test"],
  ['curl -u me:hunter2 https://x.test', 'curl -u … https://x.test'],
  ['psql postgres://me:hunter2@host/db', 'psql postgres://…@host/db'],
  [`login '{"password": "hunter2"}'`, `login '{"password": "…"}'`],
  ['login ghp_hunter2hunter2hunter2', 'login …'],
])('redacting a command hides the secret in %s', (line, shown) => {
  expect(redactCommand(line)).toBe(shown)
})

test('redacting shortens a long command', () => {
  expect(redactCommand(`echo ${'a '.repeat(5_000)}`)).toHaveLength(400)
})
