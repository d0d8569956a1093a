/** What tokens cost, in the operator's currency; small sums keep their digits. */
export const money = (n) => "$" + n.toFixed(n !== 0 && Math.abs(n) < 0.01 ? 4 : 2);
