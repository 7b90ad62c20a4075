/** Automaton over the bytes of JSON numbers and literals (RFC 8259). Each state is a valid prefix, 0 is a failure. */

const LITERALS: readonly string[] = ['true', 'false', 'null']
const DIGITS = '0123456789'
const NON_ZERO = '123456789'
export const SCALAR_START = 1
const MINUS = 2
const ZERO = 3
const WHOLE = 4
const POINT = 5
const FRACTION = 6
const EXPONENT = 7
const EXPONENT_SIGN = 8
const EXPONENT_DIGITS = 9
const FIRST_LITERAL = 10
const next = new Uint8Array(32 * 256)
const whole = new Uint8Array(32)
/** The next state, at the index `state * 256 + byte`. State 0 is a failure. */
export const SCALAR_NEXT: Uint8Array = next
export const SCALAR_ENDS: Uint8Array = whole

function go(from: number, bytes: string, to: number): void {
  for (const byte of bytes) next[from * 256 + byte.charCodeAt(0)] = to
}

go(SCALAR_START, '-', MINUS)
for (const from of [SCALAR_START, MINUS]) {
  go(from, '0', ZERO)
  go(from, NON_ZERO, WHOLE)
}
go(WHOLE, DIGITS, WHOLE)
for (const from of [ZERO, WHOLE]) go(from, '.', POINT)
for (const from of [POINT, FRACTION]) go(from, DIGITS, FRACTION)
for (const from of [ZERO, WHOLE, FRACTION]) go(from, 'eE', EXPONENT)
go(EXPONENT, '+-', EXPONENT_SIGN)
for (const from of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) go(from, DIGITS, EXPONENT_DIGITS)
for (const state of [ZERO, WHOLE, FRACTION, EXPONENT_DIGITS]) whole[state] = 1

let state = FIRST_LITERAL
for (const literal of LITERALS) {
  let from = SCALAR_START
  for (const byte of literal) {
    go(from, byte, state)
    from = state++
  }
  whole[from] = 1
}
