/** Write a whole number with commas, `1,234,567`, whatever the locale of the host. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
