// SPDX-License-Identifier: Apache-2.0
//
// A tree of points in space, built by tasks and searched by tasks. The tree is one value with all
// that it owns, as a region is: a task that reads it may follow every pointer in it. The searches
// wait for the tree, and tasks that add points wait for the searches; no line says so but the
// declarations. Compared with a search through all points.

use myrmidon::{reads, scope, writes};

type Point = [f64; 3];

struct Node {
    point: Point,
    left: Tree,
    right: Tree,
}
type Tree = Option<Box<Node>>;

const SMALL: usize = 500;

fn build(points: &mut [Point], axis: usize) -> Tree {
    if points.is_empty() {
        return None;
    }
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    let point = points[middle];
    let (left, rest) = points.split_at_mut(middle);
    let right = &mut rest[1..];
    let next = (axis + 1) % 3;
    let mut children = (None, None);
    if left.len() < SMALL {
        children = (build(left, next), build(right, next));
    } else {
        scope(|s| {
            let (left, right) = (s.lend(left), s.lend(right));
            let (left_child, right_child) = (s.lend(&mut children.0), s.lend(&mut children.1));
            s.task((writes(&left), writes(&left_child)))
                .run(move |points, tree| *tree = build(points, next));
            s.task((writes(&right), writes(&right_child)))
                .run(move |points, tree| *tree = build(points, next));
        });
    }
    Some(Box::new(Node { point, left: children.0, right: children.1 }))
}

fn add(tree: &mut Tree, point: Point) {
    let (mut place, mut axis) = (tree, 0);
    while let Some(node) = place {
        place = if point[axis] < node.point[axis] { &mut node.left } else { &mut node.right };
        axis = (axis + 1) % 3;
    }
    *place = Some(Box::new(Node { point, left: None, right: None }));
}

fn distance(a: &Point, b: &Point) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum()
}

fn nearest(tree: &Tree, to: &Point, axis: usize, best: &mut f64) {
    let node = match tree {
        Some(node) => node,
        None => return,
    };
    *best = best.min(distance(&node.point, to));
    let offset = to[axis] - node.point[axis];
    let (near, far) =
        if offset < 0.0 { (&node.left, &node.right) } else { (&node.right, &node.left) };
    nearest(near, to, (axis + 1) % 3, best);
    if offset * offset < *best {
        nearest(far, to, (axis + 1) % 3, best);
    }
}

struct Numbers(u64);
impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn points(&mut self, count: usize) -> Vec<Point> {
        (0..count).map(|_| [self.next(), self.next(), self.next()]).collect()
    }
}

fn main() {
    const ROUNDS: usize = 3;
    const PART: usize = 100;
    let mut numbers = Numbers(1);
    let mut points = numbers.points(20_000);
    let more = numbers.points(ROUNDS);
    let questions = numbers.points(1_000);
    let mut answers = vec![f64::INFINITY; ROUNDS * questions.len()];
    let mut expected = answers.clone();
    let mut known = points.clone();

    scope(|s| {
        let (points, answers) = (s.lend(&mut points[..]), s.lend(&mut answers[..]));
        let tree = s.data(None);
        s.task((writes(&points), writes(&tree))).run(|points, tree| *tree = build(points, 0));
        for (round, point) in more.iter().enumerate() {
            for (part, asked) in questions.chunks(PART).enumerate() {
                let first = round * questions.len() + part * PART;
                s.task((reads(&tree), writes(&answers.part(first..first + asked.len())))).run(
                    move |tree, answers| {
                        for (to, best) in asked.iter().zip(answers) {
                            nearest(tree, to, 0, best);
                        }
                    },
                );
            }
            s.task((writes(&tree),)).run(move |tree| add(tree, *point));
        }
    });

    for (round, answers) in expected.chunks_mut(questions.len()).enumerate() {
        for (to, best) in questions.iter().zip(answers) {
            *best = known.iter().map(|point| distance(point, to)).fold(*best, f64::min);
        }
        known.push(more[round]);
    }
    println!("{}", if answers == expected { "all found" } else { "wrong" });
}
