/** Whether a UTF-16 unit is a digit from 0 to 9. */
export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}
