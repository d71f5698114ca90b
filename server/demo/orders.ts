export interface Order {
  number: number;
  customer: string;
  item: string;
  status: 'open' | 'shipped' | 'returned';
  total: string;
  notes: string[];
}

/** What the demo shop has sold; made up, and the same at every start. */
export function demoOrders(): Order[] {
  const rows: [number, string, string, Order['status'], string][] = [
    [1046, 'Grace Hopper', 'Bellows', 'open', '89.00'],
    [1045, 'Alan Turing', 'Tongs, pair', 'open', '34.50'],
    [1044, 'Ada Lovelace', 'Cross-peen hammer', 'shipped', '52.00'],
    [1043, 'Edsger Dijkstra', 'Leather apron', 'shipped', '61.90'],
    [1042, 'Barbara Liskov', 'Anvil, 50 kg', 'returned', '420.00'],
  ];
  return rows.map(([number, customer, item, status, total]) => ({ number, customer, item, status, total, notes: [] }));
}
