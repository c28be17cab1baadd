//! Modules as models write them, used by more than one test.

/// Three figures, a chart and a table.
pub const DASHBOARD: &str = r##"
import { Card, CardContent, CardHeader, CardTitle, Stat, StatGrid, Stack, Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "$ui4a/ui";
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { Coffee } from "lucide-react";

const days = [
  { day: "Mon", revenue: 420 }, { day: "Tue", revenue: 510 }, { day: "Wed", revenue: 480 }, { day: "Thu", revenue: 630 },
  { day: "Fri", revenue: 720 }, { day: "Sat", revenue: 910 }, { day: "Sun", revenue: 840 },
];
const drinks = [["Latte", 212], ["Espresso", 180], ["Cappuccino", 154], ["Mocha", 98], ["Tea", 71]] as const;

export default function App() {
  return (
    <Stack gap={4} className="p-4">
      <h1 className="flex items-center gap-2 text-xl font-semibold"><Coffee size={20} /> Coffee shop</h1>
      <StatGrid>
        <Stat label="Revenue" value="$4,510" />
        <Stat label="Orders" value="715" />
        <Stat label="Average ticket" value="$6.31" />
      </StatGrid>
      <Card>
        <CardHeader><CardTitle>Daily revenue</CardTitle></CardHeader>
        <CardContent>
          <div style={{ width: "100%", height: 240 }}>
            <ResponsiveContainer>
              <LineChart data={days}>
                <CartesianGrid strokeDasharray="3 3" />
                <XAxis dataKey="day" />
                <YAxis />
                <Tooltip />
                <Line type="monotone" dataKey="revenue" stroke="#2563eb" isAnimationActive={false} />
              </LineChart>
            </ResponsiveContainer>
          </div>
        </CardContent>
      </Card>
      <Table>
        <TableHeader><TableRow><TableHead>Drink</TableHead><TableHead>Sold</TableHead></TableRow></TableHeader>
        <TableBody>
          {drinks.map(([name, sold]) => (
            <TableRow key={name}><TableCell>{name}</TableCell><TableCell>{sold}</TableCell></TableRow>
          ))}
        </TableBody>
      </Table>
    </Stack>
  );
}
"##;

/// Three plans, a button for each, and a note that is typed.
pub const PLANS: &str = r##"
import { useState } from "react";
import { Button, Input, Stack, Text } from "$ui4a/ui";
import { sendMessage } from "$ui4a/chat";

export default function App() {
  const [note, setNote] = useState("");
  return (
    <Stack gap={3} className="p-4">
      <Text>Which plan do you want?</Text>
      <Input aria-label="Note" value={note} onChange={(event) => setNote(event.target.value)} />
      {["Basic", "Pro", "Team"].map((plan) => (
        <Button key={plan} onClick={() => sendMessage(`I choose the ${plan} plan`)}>{plan}</Button>
      ))}
    </Stack>
  );
}
"##;

/// Counts its mounts, so that a remount shows itself.
pub const COUNTER: &str = r##"
import { useEffect, useState } from "react";

export default function App() {
  const [count, setCount] = useState(0);
  useEffect(() => { globalThis.mounts = (globalThis.mounts ?? 0) + 1; }, []);
  return (
    <div className="p-4">
      <p id="count">Count {count}</p>
      <button id="more" onClick={() => setCount(count + 1)}>More</button>
      <input id="name" aria-label="Name" />
    </div>
  );
}
"##;

/// Fails in render.
pub const THROWS: &str = r##"
export default function App() {
  const rows = undefined as unknown as string[];
  return <ul>{rows.map((row) => <li key={row}>{row}</li>)}</ul>;
}
"##;
