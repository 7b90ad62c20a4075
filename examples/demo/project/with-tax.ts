/** Return the shop's price in euros with a tax in percent. The bug: the function rounds in binary floating point. */
export function withTax(net: number, percent: number): number {
  const cents = net * (1 + percent / 100) * 100
  const gross = Math.round(cents) / 100
  console.log(`withTax net=${net.toFixed(2)} percent=${percent} cents=${cents} gross=${gross}`)
  return gross
}
