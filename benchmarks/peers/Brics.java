import dk.brics.automaton.Automaton;
import dk.brics.automaton.RegExp;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Decides pairs of expressions with dk.brics.automaton, in one warm JVM: one line "left TAB right" in, one line out. */
public final class Brics {
    private static final int SYNTAX = RegExp.INTERSECTION | RegExp.COMPLEMENT;

    private static boolean equal(String left, String right, boolean minimize) {
        Automaton first = new RegExp(left, SYNTAX).toAutomaton(minimize);
        Automaton second = new RegExp(right, SYNTAX).toAutomaton(minimize);
        return first.equals(second);
    }

    public static void main(String[] arguments) throws Exception {
        int warm = Integer.parseInt(arguments[0]);
        boolean minimize = Boolean.parseBoolean(arguments[1]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<String[]> pairs = new ArrayList<>();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            pairs.add(line.split("\t", -1));
        }
        for (int round = 0; round < 20; round++) {
            for (int k = 0; k < Math.min(warm, pairs.size()); k++) {
                equal(pairs.get(k)[0], pairs.get(k)[1], minimize);
            }
        }
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        StringBuilder output = new StringBuilder();
        for (String[] pair : pairs) {
            long wall = System.nanoTime();
            long start = clock.getCurrentThreadCpuTime();
            String answer;
            try {
                answer = String.valueOf(equal(pair[0], pair[1], minimize));
            } catch (IllegalArgumentException error) {
                answer = "refused";
            }
            output.append(answer).append('\t').append(clock.getCurrentThreadCpuTime() - start)
                .append('\t').append(System.nanoTime() - wall).append('\n');
        }
        System.out.print(output);
    }
}
